"""Description of a study."""

from __future__ import annotations

from typing import Any

from offnominal.reports.descriptions.description import Description, page
from offnominal.reports.descriptions.docstrings import opening
from offnominal.studies.base import BaseStudy
from offnominal.studies.catalogue import load_study, studies
from offnominal.studies.kinds import study_kind


def study_rows() -> list[dict[str, Any]]:
    """Return one row per study and scale, with the number of cells."""
    return [
        {"study": spec.id, "scale": row["scale"], "cells": row["cells"], "summary": row["summary"] or spec.summary}
        for spec in studies
        for row in _scales(studies.make(spec.id))
    ]


def describe_study(name: str) -> Description:
    """Return the description of a study.

    Args:
        name: Name of a study, or a file.

    Example:
        >>> found = describe_study("quickstart")
        >>> found.facts["kind"], found.tables["scales"][0]["cells"]
        ('study', 12)
    """
    study = load_study(name)
    return Description(
        name=study.name,
        summary=study.summary or (studies.spec(name).summary if name in studies else ""),
        text=opening(type(study_kind(study.kind))),
        facts={
            "title": study.title or None,
            "kind": study.kind,
            "worlds": _names(getattr(study, "worlds", ())),
            "detectors": _names(each.name for each in getattr(study, "detectors", ())),
            "alarms": _names(each.name for each in getattr(study, "alarms", ())),
        },
        tables={"scales": _scales(study)},
        documentation=page("guide/studies.md"),
    )


def _scales(study: BaseStudy) -> list[dict[str, Any]]:
    """Return one row per scale with its command."""
    scales: list[str | None] = [*study.scales] or [None]
    return [
        {
            "scale": scale,
            "cells": len(study.at(scale).cells()),
            "summary": "" if scale is None else study.scales[scale].summary,
            "command": f"offnominal run {study.name}" + ("" if scale is None else f" --scale {scale}"),
        }
        for scale in scales
    ]


def _names(names: Any) -> str | None:
    return ", ".join(map(str, names)) or None
