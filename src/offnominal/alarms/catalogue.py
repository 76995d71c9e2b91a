"""The alarms of this package, by id."""

from __future__ import annotations

from typing import Any

from offnominal.alarms.alarm import Alarm
from offnominal.core.registry import Registry, Spec

alarms: Registry[Alarm] = Registry("alarm", Alarm)

_THRESHOLDS = "offnominal.alarms.thresholds"
_MAXIMUM = "offnominal.alarms.episode_maximum:EpisodeMaximum"
_CHARTS = "offnominal.alarms.charts"
_BAND = "offnominal.alarms.time_band:TimeBand"
for _spec in (
    Spec("ThreeSigma", f"{_THRESHOLDS}:ThreeSigma", "mean plus three standard deviations of all steps"),
    Spec("Quantile", f"{_THRESHOLDS}:Quantile", "95th percentile of all steps"),
    Spec("Maximum", f"{_THRESHOLDS}:Maximum", "maximum of all steps"),
    Spec("EpisodeMaximum", _MAXIMUM, "conformal threshold on an episode's maximum score"),
    Spec(
        "PacEpisodeMaximum",
        _MAXIMUM,
        "the same, guaranteed for this calibration with confidence 0.95",
        {"confidence": 0.95},
    ),
    Spec("EpisodeEwma", f"{_CHARTS}:EpisodeEwma", "exponential moving average with a conformal threshold"),
    Spec("EpisodeCusum", f"{_CHARTS}:EpisodeCusum", "cumulative sum with a conformal threshold"),
    Spec("EpisodeGlr", "offnominal.alarms.glr:EpisodeGlr", "likelihood ratio of a shift with a conformal threshold"),
    Spec("Bocpd", "offnominal.alarms.bocpd:Bocpd", "baseline: probability of a recent change point"),
    Spec("TimeBand", _BAND, "a threshold per step, conformal for the whole episode"),
):
    alarms.register(_spec)

UNLISTED = {
    spec.id: spec
    for spec in (
        Spec("WindowMaximum", "offnominal.alarms.window_maximum:WindowMaximum", "conformal threshold per window"),
        Spec("EDetector", "offnominal.alarms.e_detector:EDetector", "evidence with a guaranteed mean run length"),
        Spec("ACI", "offnominal.alarms.aci:ACI", "conformal threshold whose level follows the share of alarms"),
        Spec("DtACI", "offnominal.alarms.dtaci:DtACI", "the same with several step sizes, without a guarantee"),
        Spec("ConformalPID", "offnominal.alarms.conformal_pid:ConformalPID", "threshold moved by a controller"),
        Spec("RecencyWeighted", "offnominal.alarms.recency_weighted:RecencyWeighted", "recent units weigh more"),
        Spec("ModeThresholds", "offnominal.alarms.mode_thresholds:ModeThresholds", "conformal threshold per mode"),
        Spec("ParetoTail", "offnominal.alarms.pareto_tail:ParetoTail", "quantile of a generalised Pareto tail"),
    )
}
"""Alarms that are made by name, but not listed among those for any data: their window or modes must fit the log."""


def make_alarm(alarm: str | Alarm, **options: Any) -> Alarm:
    """Return an alarm by id, or the given alarm.

    Example:
        >>> make_alarm("EpisodeMaximum", alpha=0.1)
        EpisodeMaximum(alpha=0.1, confidence=None)
    """
    if isinstance(alarm, Alarm):
        return alarm
    if isinstance(alarm, str) and alarm in UNLISTED:
        return alarms.load(UNLISTED[alarm].target)(**options)
    return alarms.make(alarm, **options)
