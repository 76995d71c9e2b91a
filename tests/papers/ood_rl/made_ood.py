"""A made-up study of agents in modified environments."""

from __future__ import annotations

import pyarrow as pa

from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, settings
from offnominal.studies.results import RunResults


def rows():
    """Numbers that tell where they come from: changes are seen in CartPole by the length of episodes alone."""
    found = []
    for world, kind, name in (
        (CARTPOLE, "ensemble", "Uncertainty"),
        (CARTPOLE, "ensemble", "KNN"),
        (CARTPOLE, "dropout", "Uncertainty"),
        (PENDULUM, "ensemble", "Uncertainty"),
        (PONG, "ensemble", "Uncertainty"),
    ):
        for agent, trial, setting in ((a, t, s) for a in (8, 9) for t in (0, 1) for s in settings(world)[::6]):
            readings = dict.fromkeys(SEPARATION_METRICS, 0.8) | {"auc_equal": 0.65 if world == CARTPOLE else 0.8}
            returns = 50.0 if setting.parameter > 1.0 else 200.0
            found.append(
                {"key": f"{world}{kind}{agent}", "world": world, "policy": kind, "name": name, "seed": agent}
                | {"trial": trial, "anomaly": setting.anomaly, "value": setting.parameter, "threshold": 1.0}
                | {"episodes": 20, "length": 100.0, "return_mean": returns, "return_square": returns**2}
                | {"nominal_return_mean": 199.0, "nominal_return_square": 199.0**2 + 1.0}
                | readings
            )
    return found


def ood_results(title: str = "Changed") -> RunResults:
    manifest = {"config": {"kind": "ood-rl"}}
    return RunResults("ood-rl", title, "Who knows?", "", manifest, pa.Table.from_pylist(rows()), pa.table({}))
