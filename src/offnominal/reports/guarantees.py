"""What alarms guaranteed and what happened, as tables, sentences and data of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from offnominal.alarms.guarantee_check import GuaranteeCheck
from offnominal.reports.verdicts import listed
from offnominal.studies.guarantees import Place, guarantees, over_all_worlds
from offnominal.studies.results import RunResults

NOTE = (
    "Measured on nominal test episodes that neither detector nor alarm has used. “Kept”: the interval ends at most a "
    "fifth of the guaranteed share above it. “Broken”: the whole interval is above it, and further than calibrations "
    "differ: a guarantee on average over calibrations allows single ones to exceed the level. All else is undecided."
)
TITLE = "Guarantees: nominal episodes with a false alarm"
Row = dict[str, Any]


def guarantee_rows(found: Mapping[Place, GuaranteeCheck], names: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """Return readable rows, one per alarm and detector over worlds, and rows of numbers, with one per world too.

    Args:
        found: See :func:`~offnominal.studies.guarantees.guarantees`.
        names: Order of the detectors.
    """
    rows: list[Row] = []
    numbers: list[Row] = []
    together = over_all_worlds(dict(found))
    for alarm, name in sorted(together, key=lambda place: (place[0], names.index(place[1]))):
        check = together[alarm, name]
        rows.append({"alarm": alarm, "detector": name, **check.shown()})
        here = {world: each for (one, other, world), each in found.items() if (one, other) == (alarm, name)}
        numbers += [{"alarm": alarm, "detector": name, "world": world, **each.row()} for world, each in here.items()]
        numbers.append({"alarm": alarm, "detector": name, "world": "all", **check.row()})
    return rows, numbers


def guarantee_data(found: Mapping[Place, GuaranteeCheck], names: Sequence[str], worlds: Sequence[str]) -> list[Any]:
    """Return the guarantees for the page: one entry per alarm, with rows for all worlds and for each.

    Args:
        found: See :func:`~offnominal.studies.guarantees.guarantees`.
        names: Detectors of the page.
        worlds: Worlds of the page.
    """
    places: dict[str, dict[tuple[str, int], GuaranteeCheck]] = {}
    for (alarm, name), check in over_all_worlds(dict(found)).items():
        places.setdefault(alarm, {})[name, -1] = check
    for (alarm, name, world), check in found.items():
        places[alarm][name, worlds.index(world)] = check
    entries = []
    for alarm, checks in places.items():
        first = next(iter(checks.values()))
        ordered = sorted(checks, key=lambda place: (place[1], names.index(place[0])))
        rows = [[names.index(name), world, *_numbers(checks[name, world])] for name, world in ordered]
        about = {"alarm": alarm, "text": first.text, "unit": first.unit, "level": first.level, "hourly": first.hourly}
        entries.append({**about, "rows": rows})
    return sorted(entries, key=lambda entry: entry["level"] is None)


def _numbers(check: GuaranteeCheck) -> list[Any]:
    low, high = check.interval or (None, None)
    return [check.share, low, high, check.n, check.verdict]


def guarantee_lines(results: RunResults) -> list[str]:
    """Return a sentence per alarm with a guarantee: for which detectors it was kept."""
    return [
        guarantee_line(alarm, {name: check for (one, name), check in together.items() if one == alarm})
        for together in [over_all_worlds(guarantees(results.table))]
        for alarm in dict.fromkeys(alarm for alarm, _ in together)
        if any(check.level is not None for (one, _), check in together.items() if one == alarm)
    ]


def guarantee_line(alarm: str, checks: Mapping[str, GuaranteeCheck]) -> str:
    """Return the guarantee of an alarm and how many detectors have each verdict.

    Args:
        alarm: Name of the alarm.
        checks: By name of the detector.

    Example:
        >>> kept = GuaranteeCheck("an alarm in at most 5% of nominal episodes", "episodes", 0.05, 0.04, 0.006, 0.0, 999)
        >>> guarantee_line("EpisodeMaximum", {"KNN": kept, "LOF": kept})
        'EpisodeMaximum guarantees an alarm in at most 5% of nominal episodes: kept for 2 of 2 detectors.'
    """
    counts = Counter(check.verdict for check in checks.values())
    parts = [f"{verdict} for {count} of {len(checks)} detectors" for verdict, count in counts.most_common()]
    return f"{alarm} guarantees {next(iter(checks.values())).text}: {listed(parts)}."
