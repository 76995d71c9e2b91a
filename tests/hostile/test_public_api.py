"""Every public callable names a wrong argument, or works; api_attack.py makes the calls."""

import os
import re
import subprocess
import sys
import warnings
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import NotFitted, OffnominalError, WrongArgument
from offnominal.core.public_calls import public
from offnominal.detectors import RowDetector

from .public_api import package_of, parts_of, targets
from .wrong_values import BrokenSequence

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).with_name("api_attack.py")
COUNTS = re.compile(r"(\d+) callables: (\d+) tried, (\d+) held, (\d+) raw")
PACKAGES = sorted({package_of(target) for target in targets()})
PARTS = [(package, part) for package in PACKAGES for part in range(len(parts_of(package)))]


def attacked(*arguments):
    """Run the attack as a program of its own; return the counts, and the lines with raw exceptions."""
    said = subprocess.run(
        [sys.executable, "-m", "tests.hostile.api_attack", *arguments],
        cwd=PROGRAM.parents[2],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    counts = COUNTS.search(said.stdout)
    assert counts, said.stdout[-3000:] + said.stderr[-3000:]
    print(said.stdout.splitlines()[-1])
    return [int(number) for number in counts.groups()], [line for line in said.stdout.splitlines() if "RAW" in line]


def test_public_callables_are_found():
    names = {target.name for target in targets()}
    assert {"offnominal.collect", "offnominal.Recipe.for_world", "offnominal.alarms.EpisodeCusum"} <= names
    assert len(names) > 1000


def test_random_calls_with_wrong_values_are_named_errors_or_work():
    (_, tried, held, raw), lines = attacked("1", "120")
    assert (tried, raw) == (held, 0), "\n".join(lines)
    assert tried > 60


@pytest.mark.hostile
@pytest.mark.parametrize(("package", "part"), PARTS)
def test_every_call_with_a_wrong_value_is_a_named_error_or_works(package, part, count_cases):
    (_, tried, held, raw), lines = attacked("1", "0", package, str(part))
    count_cases(tried, raw)
    assert (tried, raw) == (held, 0), "\n".join(lines)


@pytest.mark.parametrize(
    "call",
    [
        lambda: off.expert([]),
        lambda: off.Recipe.for_world("SAP-Goal0-v0", anomalies=0),
        lambda: off.load_study(None),
        lambda: off.Monitor(None, None, None),
        lambda: EpisodeMaximum(alpha=np.array([0.1, 0.2])).fit([[1.0]]),
        lambda: off.episodes_from(np.zeros((0, 26))),
        lambda: off.collect("SAP-Goal0-v0", lambda o: o[:, :2], 1, faults=np.array(1.0)),
        lambda: off.collect("SAP-Goal0-v0", lambda o: o[:, :2], 1, faults=BrokenSequence()),
        lambda: off.compare(BrokenSequence(), BrokenSequence()),
        lambda: off.make_vec(3, 2),
        lambda: off.studies.leaderboard(3),
        lambda: off.Recipe("SAP-Goal0-v0", "tqc", episodes=2, twins=float("nan")),
        lambda: off.Recipe("SAP-Goal0-v0", "tqc", episodes=Decimal("2")),
    ],
)
def test_a_wrong_argument_is_a_named_error(call):
    with pytest.raises(OffnominalError):
        call()


def shout(text: str, times: int = 1) -> str:
    """Return a text in capitals."""
    return " ".join([text.upper()] * (6 // times))


class Box:
    """A class of the package."""

    share_: float

    def __init__(self, size: float) -> None:
        self.half = size / 2

    def shares(self, n: int) -> list[float]:
        """Return n shares, or what is not learned."""
        return [self.half / n] if n else [self.share_]


@dataclass
class Pair:
    """A class whose constructor only stores."""

    first: str

    def __call__(self, second: str) -> str:
        """Return both."""
        return self.first + second


shout.__module__ = Box.__module__ = Pair.__module__ = "offnominal.example"
loud = public(shout, "offnominal.example")
public(Box, "offnominal.example")
public(Pair, "offnominal.example")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loud(3), "text of shout is 3; expected str"),
        (lambda: loud("a", times="b"), "times of shout is 'b'; expected int"),
        (lambda: Box("wide"), "size of Box is 'wide'; expected float"),
        (lambda: Pair("a")(3), "second of Pair.__call__ is 3; expected str"),
        (lambda: Box(3.0).shares([]), r"n of Box.shares is \[\]; expected int|needs share_"),
    ],
)
def test_the_error_names_the_argument_and_what_is_expected(call, message):
    with pytest.raises(OffnominalError, match=message):
        call()


def test_the_original_error_is_the_cause():
    with pytest.raises(WrongArgument) as raised:
        loud(3)
    assert isinstance(raised.value.__cause__, AttributeError)


def test_a_warning_names_the_line_of_the_caller():
    def warned() -> None:
        warnings.warn("look here", stacklevel=2)

    warned.__module__ = "offnominal.example"
    with pytest.warns(UserWarning, match="look here") as caught:
        public(warned, "offnominal.example")()
    assert caught[0].filename == __file__


def test_what_works_is_not_refused():
    assert loud("a", np.int64(3)) == "A A"
    assert Box(np.float32(3)).half == 1.5


def test_a_defect_with_right_arguments_stays_a_defect():
    def broken(text: str) -> str:
        raise KeyError("a defect")

    broken.__module__ = "offnominal.example"
    with pytest.raises(KeyError, match="a defect"):
        public(broken, "offnominal.example")("text")


def test_a_zero_is_not_the_reason_of_an_error():
    with pytest.raises(ZeroDivisionError):
        loud("a", 0)


APPLY = """
def apply(function: object, value: float) -> int:
    return function(value)
"""


def test_an_error_of_a_function_of_the_user_stays_what_it_is():
    def mine(value: float) -> int:
        raise ValueError("my own mistake")

    namespace = {"__name__": "offnominal.example"}
    exec(compile(APPLY, str(Path(off.__file__).with_name("example.py")), "exec"), namespace)
    apply = public(namespace["apply"], "offnominal.example")
    with pytest.raises(WrongArgument, match="value of apply is nan, which is not finite"):
        apply(int, float("nan"))
    with pytest.raises(ValueError, match="my own mistake"):
        apply(mine, float("nan"))


def test_missing_and_unknown_arguments_are_refused_by_python():
    for call in (loud, lambda: loud("a", volume=3)):
        with pytest.raises(TypeError) as raised:
            call()
        assert not isinstance(raised.value, OffnominalError)


def test_what_fit_learns_is_named_before_fit():
    with pytest.raises(NotFitted, match="share_"):
        Box(1.0).shares(0)


def test_public_functions_are_pickled_under_their_public_names():
    import pickle

    for function in (off.collect, off.generate, off.inject, off.make, off.alarms.load_alarm):
        assert pickle.loads(pickle.dumps(function)) is function
    assert off.rollouts.collect is off.collect
    assert RowDetector is off.detectors.rows.RowDetector
