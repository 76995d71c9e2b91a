"""Renew `versions.lock` and the golden numbers: `make relock`, or `python tools/relock.py [--trust kind/id ...]`.

An object whose code changed keeps its version only if its golden numbers are the same. The numbers of a raised version
and of a new object are written as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from golden_numbers import Numbers, difference, golden_numbers
from offnominal.laws.versions import present_pins
from offnominal.studies.code import Sources
from offnominal.studies.version_lock import LOCK, Pin, read_lock, write_lock

GOLDEN = Path(__file__).with_name("golden_numbers.json")
"""Outside of the package: only this command and its tests read the numbers."""


@dataclass
class Renewal:
    """The lock and the golden numbers after a renewal.

    Args:
        pins: Pins by name; those of refused objects are the old ones.
        numbers: Golden numbers by name.
        refused: Why an object was not renewed, one sentence each.
    """

    pins: dict[str, Pin] = field(default_factory=dict)
    numbers: dict[str, Numbers] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


def renew(
    present: Mapping[str, Pin],
    lock: Mapping[str, Pin],
    golden: Mapping[str, Numbers],
    *,
    compute: Callable[[str], Numbers | None] = golden_numbers,
    trust: Collection[str] = (),
) -> Renewal:
    """Return the renewed lock and golden numbers.

    Args:
        present: Pins of the present code.
        lock: Pins of the lock.
        golden: Pinned numbers.
        compute: Returns the present numbers of an object; None if it has no golden check.
        trust: Names of objects without golden check that keep their version.
    """
    renewal = Renewal()
    for name, pin in present.items():
        old = lock.get(name)
        if old == pin:
            renewal.pins[name] = pin
            if name in golden:
                renewal.numbers[name] = golden[name]
            continue
        print(name, end=" ", flush=True)
        try:
            numbers = compute(name)
        except Exception as error:
            numbers, refusal = None, f"its golden check failed: {type(error).__name__}: {error}"
        else:
            refusal = _refusal(name, pin, old, golden.get(name), numbers, trust)
        if refusal:
            renewal.refused.append(f"{name}: {refusal}")
        # A refused object has an older pin.
        chosen = old if refusal else pin
        if chosen is not None:
            renewal.pins[name] = chosen
        keeps_old = bool(refusal) or (old is not None and old.version == pin.version)
        if keeps_old and name in golden:
            renewal.numbers[name] = golden[name]
        elif numbers is not None:
            renewal.numbers[name] = numbers
    return renewal


def _refusal(
    name: str, pin: Pin, old: Pin | None, pinned: Numbers | None, numbers: Numbers | None, trust: Collection[str]
) -> str:
    """Return why an object whose pin differs cannot be renewed; empty if it can."""
    if old is None or pin.version > old.version:
        return ""
    if pin.version < old.version:
        return f"version {pin.version} is below {old.version} in the lock; a version is never lowered."
    if numbers is None or pinned is None:
        if name in trust:
            return ""
        return (
            "its code changed, and it has no golden check. Raise its version; or compare a smoke run before and after "
            f"and, if the numbers are equal, run `make relock RELOCK_ARGS='--trust {name}'`."
        )
    changed = difference(name, pinned, numbers)
    return f"its numbers changed ({changed}); raise its version from {old.version}." if changed else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Renew the files, print what was refused, and return the exit status."""
    parser = argparse.ArgumentParser(description="Renew versions.lock and the golden numbers.")
    parser.add_argument("--trust", action="append", default=[], metavar="NAME", help="keep a version without a check")
    trust = parser.parse_args(arguments).trust
    present, lock = present_pins(Sources()), read_lock()
    golden = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    changed = sum(lock.get(name) != pin for name, pin in present.items())
    print(f"{changed} of {len(present)} objects differ from the lock", flush=True)
    renewal = renew(present, lock, golden, trust=trust)
    write_lock(renewal.pins)
    lines = (f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in sorted(renewal.numbers.items()))
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print("\n" + "\n".join([*renewal.refused, f"{LOCK.name}: {changed - len(renewal.refused)} renewed"]))
    return bool(renewal.refused)


if __name__ == "__main__":
    sys.exit(main())
