"""Calls every public callable with a wrong value in one place each; run as a program.

    python -m tests.hostile.api_attack SEED CALLS [PACKAGE PART]

It calls each callable of a part of a package ("offnominal" for those of the top level) with everything, or makes CALLS
random calls of all, and prints each raw exception, then the counts. A crash of compiled code ends this program alone.
"""

import contextlib
import faulthandler
import inspect
import io
import itertools
import os
import random
import signal
import socket
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

from offnominal.core.errors import OffnominalError

from .examples import Examples, NoExample
from .interruption import can_be_interrupted
from .public_api import parts_of, targets
from .wrong_values import WRONG, value_of

PATIENCE = 1.0
"""Seconds of computing after which a call is cut off: a wrong value can be a valid one that starts long work. Time of
the processor, so that other programs do not change what is tried."""
WAITING = 20.0
"""The same for a call that waits."""
SLOW = 2
"""Calls cut off in one place after which no further value is tried there."""
HANGING = 600
"""Seconds after which compiled code, which cannot be cut off, ends the program with its trace. A compilation, too, can
take minutes where other programs run."""


class CutOff(BaseException):
    """A call was cut off."""


def cut_off(_, frame):
    """End a call, if it can be interrupted now.

    The alarm repeats: an exception that is raised in a destructor or in a function that C calls is lost.
    """
    if can_be_interrupted(frame):
        raise CutOff


def cases_of(target):
    """Return all places and wrong values of a callable."""
    return [(parameter.name, what) for parameter in target.parameters for what in WRONG]


class Attack:
    """Calls with wrong values, and what became of them."""

    def __init__(self):
        self.counts = Counter()
        self.unreached = {}

    def on(self, target, cases):
        """Call one callable with wrong values."""
        examples, slow = Examples(), Counter()
        for place, what in cases:
            if slow[place] >= SLOW:
                self.counts["left out"] += 1
                continue
            try:
                call, positional, named = prepared(target, place, value_of(what), examples)
            except NoExample as missing:
                self.unreached[target.name] = str(missing)
                return
            outcome = attempt(call, positional, named)
            self.counts["tried"] += 1
            self.counts[outcome.split(":")[0]] += 1
            slow[place] += outcome == "cut off"
            if outcome.startswith(("raw", "cut off")):
                report(f"{outcome.split(':')[0].upper()} {target.name}({place}={what}) {outcome}")
                examples = Examples()


def prepared(target, place, wrong, examples):
    """Return the callable and its arguments: a wrong one, and valid ones where others are required."""
    call = target.function
    if target.owner is not None:
        call = call.__get__(examples.of_class(target.owner))
    positional, named = [], {}
    for parameter in target.parameters:
        if parameter.name == place:
            value = wrong
        elif parameter.default is not parameter.empty or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        else:
            value = examples.of_parameter(target.function, parameter)
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            positional.append(value)
        else:
            named[parameter.name] = value
    return call, positional, named


def attempt(call, positional, named):
    """Make a call, and say what became of it."""
    faulthandler.dump_traceback_later(HANGING, exit=True, file=OUTPUT)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE, PATIENCE)
    signal.setitimer(signal.ITIMER_REAL, WAITING, WAITING)
    try:
        return outcome_of(call, positional, named)
    except CutOff:
        return "cut off"
    finally:
        stop_timers()
        faulthandler.cancel_dump_traceback_later()


def stop_timers():
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        signal.setitimer(timer, 0)


def outcome_of(call, positional, named):
    """Make a call, and say how it ended."""
    try:
        result = call(*positional, **named)
        if inspect.isgenerator(result):
            list(itertools.islice(result, 3))
    except OffnominalError:
        return "named"
    except Exception as error:
        stop_timers()
        return f"raw: {type(error).__name__} {shortened(error)} at {place_of(error)}"
    return "accepted"


def shortened(error):
    try:
        return " ".join(str(error).split())[:100]
    except Exception:
        return "(no message)"


def place_of(error):
    """Return the last line of the package that raised an error."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if "offnominal" in frame.filename]
    return f"{own[-1].filename.rpartition('offnominal/')[2]}:{own[-1].lineno}" if own else "outside"


OUTPUT = os.fdopen(os.dup(1), "w")


def report(line):
    """Write a line to the standard output, which callables may redirect or close."""
    print(line, file=OUTPUT, flush=True)


def refused(*_, **__):
    raise ConnectionRefusedError("no network in this program")


@contextlib.contextmanager
def alone():
    """Work in an empty folder, with an empty data home, without network and without output of the callables."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OFFNOMINAL_DATA"] = str(Path(folder, "data"))
        os.environ["HOME"] = folder
        os.chdir(folder)
        socket.socket.connect = socket.socket.bind = socket.getaddrinfo = refused
        for alarm in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(alarm, cut_off)
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
        os.chdir("/")


def sample(seed, calls):
    """Return random cases by their callables, some of each that is drawn."""
    draw = random.Random(seed)
    chosen = draw.sample(targets(), min(len(targets()), calls // 6))
    return [(target, draw.sample(cases, min(6, len(cases)))) for target in chosen if (cases := cases_of(target))]


def main(seed, calls, package="", part=""):
    faulthandler.enable(OUTPUT)
    attack = Attack()
    with alone():
        if package:
            chosen = [(target, cases_of(target)) for target in parts_of(package)[int(part)]]
        else:
            chosen = sample(int(seed), int(calls))
        for target, cases in chosen:
            attack.on(target, cases)
    for name, why in attack.unreached.items():
        report(f"UNREACHED {name}: {why}")
    found = attack.counts
    held = found["named"] + found["accepted"] + found["cut off"]
    report(
        f"{len(chosen)} callables: {found['tried']} tried, {held} held, {found['raw']} raw; {found['named']} named "
        f"errors, {found['cut off']} cut off after {PATIENCE:g} s, {found['left out']} left out after those, "
        f"{len(attack.unreached)} methods without an example"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
