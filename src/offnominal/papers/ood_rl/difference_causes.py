"""Causes of differences from the published AUC that our measurements show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from offnominal.papers.ood_rl.measured_auc import MeasuredAUC
from offnominal.papers.ood_rl.published import PublishedColumn, published_columns
from offnominal.papers.ood_rl.settings import PONG, OODSetting
from offnominal.studies.published_comparison import Cause, PublishedComparison

NOT_FAILED = "published because the agent fails, but ours do not"
MILDER = "our agents also fail in milder settings, where the AUC is as low as published"


def cause_of(
    line: PublishedComparison, column: PublishedColumn, ours: MeasuredAUC, measured: Sequence[MeasuredAUC], best: bool
) -> tuple[Cause, str]:
    """Return the cause of a difference and its note; both empty if none is shown.

    ``chance``: the published number can be that of one more of our agents. ``setting``: the policies differ. Settings
    are published in which the agent fails. Either ours do not fail there, or they also fail in milder settings that are
    not published, and the interval of our mean AUC there reaches the published mean.

    Args:
        line: Our number beside the published one.
        column: The published column.
        ours: Our AUC in its setting.
        measured: That of the same kind of agents in all settings of the world.
        best: Whether the line is about the best trial.
    """
    if abs(line.difference or 0.0) <= line.near:
        return "", ""
    if ours.may_be(line.published or 0.0, best):
        return "chance", ""
    if not ours.failed:
        return "setting", NOT_FAILED
    listed = {(each.method, each.setting) for each in published_columns()}
    milder = [
        each.estimate(best=False).low
        for each in measured
        if each.failed and _is_milder(each.setting, ours.setting) and (column.method, each.setting) not in listed
    ]
    lower = column.mean < ours.auc.mean() and any(low is not None and low <= column.mean for low in milder)
    return ("setting", MILDER) if lower else ("", "")


def _is_milder(one: OODSetting, other: OODSetting) -> bool:
    """Whether a setting changes the same quantity as another in the same direction, but less."""
    first, second = _change(one), _change(other)
    return one.quantity == other.quantity and first * second > 0.0 and abs(first) < abs(second)


def _change(setting: OODSetting) -> float:
    """Return the severity of a corruption, or the logarithm of the factor of a physical quantity."""
    return setting.parameter if setting.world == PONG else math.log(setting.parameter / setting.quantity.default)
