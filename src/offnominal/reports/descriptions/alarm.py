"""Description of an alarm."""

from __future__ import annotations

from dataclasses import fields

from offnominal.alarms.catalogue import UNLISTED, alarms, make_alarm
from offnominal.reports.descriptions.description import Description, page
from offnominal.reports.descriptions.docstrings import opening, parameter_rows


def describe_alarm(id: str) -> Description:
    """Return the description of an alarm.

    Args:
        id: Id of the alarm, or ``"package.module:Class"``.

    Example:
        >>> describe_alarm("EpisodeMaximum").facts["guarantee"]
        'a false alarm in at most 5% of nominal episodes, on average over calibrations'
    """
    if isinstance(id, str) and id in UNLISTED:
        spec, made = UNLISTED[id], make_alarm(id)
    else:
        spec, made = alarms.find(id), alarms.build(id)
    values = {each.name: getattr(made, each.name) for each in fields(made) if each.init}
    return Description(
        name=id,
        summary=spec.summary,
        text=opening(type(made)),
        facts={
            "guarantee": str(made.guarantee),
            "assumption": made.guarantee.assumption or None,
            "class": f"{type(made).__module__}:{type(made).__qualname__}",
        },
        tables={"parameters": parameter_rows(type(made), values)},
        documentation=page("guide/alarms.md"),
    )
