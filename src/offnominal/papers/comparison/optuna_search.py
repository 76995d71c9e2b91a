"""Configurations proposed by Optuna; each batch uses the results of earlier ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from offnominal.core.checks import positive_integer
from offnominal.core.errors import MissingDependency
from offnominal.papers.comparison.search_spaces import TRIES, Configuration, SearchSpace, sample_configurations

BATCH = 10
"""Number of configurations proposed at once; they share work."""
Objective = Callable[[list[Configuration]], Sequence[float]]
"""Returns how good configurations are; NaN for those that failed."""


def optuna_configurations(
    space: SearchSpace,
    n: int = 100,
    seed: int = 0,
    *,
    objective: Objective,
    accept: Callable[[Configuration], bool] | None = None,
    batch_size: int = BATCH,
) -> list[Configuration]:
    """Let Optuna's tree-structured Parzen estimator propose configurations, none twice.

    The first batch is that of `sample_configurations`, so that both searches begin with the same configurations. If the
    space has no more configurations than are wanted, all of them are returned in order. Results are reproducible for
    the same seed on the same machine; Optuna does not guarantee it across machines.

    Args:
        space: To propose from.
        n: Number of configurations; fewer if Optuna has nothing new to propose.
        seed: Random seed.
        objective: Function to maximise.
        accept: Whether a configuration makes sense; others are proposed again.
        batch_size: Number of configurations evaluated at once.

    Raises:
        MissingDependency: Optuna is not installed.
    """
    optuna = _optuna()
    positive_integer("n", n)
    if space.size <= n:
        return sample_configurations(space, n, seed, accept=accept)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=min(n, batch_size), constant_liar=True)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for configuration in sample_configurations(space, min(n, batch_size), seed, accept=accept):
        study.enqueue_trial(_chances(space, configuration))
    values: dict[tuple[Any, ...], float] = {}
    found: list[Configuration] = []
    for _ in range(TRIES):
        trials = [study.ask() for _ in range(min(batch_size, n - len(found)))]
        proposed = [_proposed(space, trial) for trial in trials]
        new = {
            _key(space, each): each for each in proposed if _key(space, each) not in values and _sensible(each, accept)
        }
        values |= dict(zip(new, objective(list(new.values())), strict=True)) if new else {}
        found += new.values()
        for trial, each in zip(trials, proposed, strict=True):
            value = values.get(_key(space, each), math.nan)
            failed = {"state": optuna.trial.TrialState.FAIL} if math.isnan(value) else {"values": value}
            study.tell(trial, **failed)
        if len(found) >= n:
            break
    return found


def _proposed(space: SearchSpace, trial: Any) -> Configuration:
    """Take a value of every parameter: numbers in their order, words without one."""
    chosen = {}
    for name in space.grid:
        values = space.grid[name]
        if _ordered(values):
            chosen[name] = values[trial.suggest_int(name, 0, len(values) - 1)]
        else:
            chosen[name] = trial.suggest_categorical(name, values)
    return chosen | dict(space.fixed)


def _chances(space: SearchSpace, configuration: Configuration) -> dict[str, Any]:
    """Return a configuration as Optuna knows it."""
    return {
        name: values.index(configuration[name]) if _ordered(values) else configuration[name]
        for name, values in space.grid.items()
    }


def _ordered(values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _key(space: SearchSpace, configuration: Configuration) -> tuple[Any, ...]:
    return tuple(configuration[name] for name in space.grid)


def _sensible(configuration: Configuration, accept: Callable[[Configuration], bool] | None) -> bool:
    return accept is None or accept(configuration)


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise MissingDependency(
            'the sampler optuna needs Optuna; install it with `pip install "offnominal[optuna]"`.'
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
