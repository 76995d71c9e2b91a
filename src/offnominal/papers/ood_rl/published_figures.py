"""The figures of the paper that we draw too, and the data that they are drawn from."""

from __future__ import annotations

from functools import partial
from typing import Any

from offnominal.papers.figure_numbers import numbers_in, plain_numbers
from offnominal.papers.ood_rl.figures import action_figure, both_series, value_figure
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.series import Series
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, describe_environment
from offnominal.papers.paper import FigureData, PublishedFigure
from offnominal.studies.results import RunResults

SCALE = "figures"
"""The smallest scale with the settings of the figures and all trials."""


def _data(results: RunResults, *, world: str) -> FigureData | None:
    """Return the predictions along both episodes, and the threshold between them."""
    found = both_series(OODResults.of(results.table), results.examples, world)
    if found is None:
        return None
    both, threshold = found
    return {"world": world, "threshold": threshold, "series": [_plain(each) for each in both]}


def _plain(series: Series) -> dict[str, Any]:
    setting = series.setting
    about = None if setting is None else {"anomaly": setting.anomaly, "parameter": setting.parameter}
    return {"setting": about, "mean": plain_numbers(series.mean), "sigma": plain_numbers(series.sigma)}


def _series(data: FigureData) -> list[Series]:
    """Return the episodes of :func:`_data`."""
    found = []
    for each in data["series"]:
        about = each["setting"]
        setting = about and describe_environment(data["world"], about["anomaly"], about["parameter"])
        found.append(Series(setting, numbers_in(each["mean"]), numbers_in(each["sigma"])))
    return found


def _values(plt: Any, data: FigureData) -> Any:
    return value_figure(plt, _series(data))


def _actions(plt: Any, data: FigureData) -> Any:
    return action_figure(plt, _series(data), data["threshold"])


def published_figures(study: str) -> tuple[PublishedFigure, ...]:
    """Return the figures.

    Args:
        study: Name of the study that they are drawn from.
    """
    return (
        PublishedFigure(
            4,
            "values of both actions along an unmodified and a modified episode",
            study,
            "q_values",
            partial(_data, world=CARTPOLE),
            _values,
            SCALE,
            (CARTPOLE,),
        ),
        PublishedFigure(
            5,
            "torque along an unmodified and a modified episode",
            study,
            "actions",
            partial(_data, world=PENDULUM),
            _actions,
            SCALE,
            (PENDULUM,),
        ),
    )
