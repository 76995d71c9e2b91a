"""Smoke test of an installed wheel: the program and a few lines of Python, outside of the checkout and without torch.

Run it with the Python of a virtual environment that has the wheel and what it requires, and nothing else:
``python -I tools/smoke_test.py``.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run all checks; the first that fails ends the program with its reason."""
    import offnominal as off

    home = Path(off.__file__).resolve()
    if home.is_relative_to(CHECKOUT / "src"):
        sys.exit(f"offnominal is imported from {home}; expected an installed wheel. Install it, and unset PYTHONPATH.")
    if find_spec("torch") is not None:
        sys.exit("torch is installed; the smoke test is about an installation without it.")
    program = Path(sys.executable).with_name("offnominal")
    with tempfile.TemporaryDirectory() as elsewhere:
        published = ["reproduce", "ood-rl", "--table", "3"]
        for arguments in (["--version"], ["doctor"], ["worlds"], ["studies", "quickstart"], published):
            subprocess.run([program, *arguments], check=True, cwd=elsewhere, stdout=subprocess.DEVNULL)
    world = "SAP-Goal0-v0"
    policy = off.expert(world)
    detector = off.detectors.make_detector("KNN").fit(off.collect(world, policy, 30))
    alarm = off.alarms.EpisodeMaximum(alpha=0.1).fit(detector.score(off.collect(world, policy, 30, seed=1000)))
    fault = off.Fault("observation/offset", 0.5, schedule=5)
    scores = detector.score(off.collect(world, policy, 30, faults=fault, seed=2000))
    found = sum(first is not None for first in alarm.first_alarms(scores))
    if found < 25:
        sys.exit(f"{found} of 30 large offsets were detected; expected nearly all.")
    print(f"offnominal {off.__version__} in {home.parent}: {found} of 30 faults detected.")


if __name__ == "__main__":
    main()
