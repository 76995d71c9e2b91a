"""The laws of Gymnasium environments, also those that are not batched worlds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.laws.report import LawReport, check_laws
from offnominal.laws.require import require
from offnominal.worlds.catalogue import NAMESPACE

STEPS = 25
SEEDS = (3, 11)
EnvironmentSource: TypeAlias = str | Callable[[], gymnasium.Env[Any, Any]]


def check_environment(environment: EnvironmentSource, *, steps: int = STEPS, **options: Any) -> LawReport:
    """Check the laws of environments for any Gymnasium environment.

    1. It passes Gymnasium's own check; observations are in their space and rewards are finite at every step.
    2. An episode is reproducible by its seed: two instances give the same bytes for the same actions.
    3. A reset removes all state of the previous episode.
    4. A step changes neither its action nor an observation that was returned before.

    Args:
        environment: Id in Gymnasium's registry, with or without ``offnominal/``, or a function that makes an
            instance.
        steps: Number of steps of an episode.
        **options: Keyword arguments of the environment, if it is given by id.

    Example:
        >>> check_environment("CartPole-v1").ok
        True
    """
    name, make = _named_factory(environment, options)
    return check_laws(
        name,
        {
            "passes Gymnasium's check": lambda: _gymnasium_check(make),
            "observations and rewards match their spaces": lambda: _spaces_hold(make, steps),
            "an episode is reproducible by its seed": lambda: _reproducible(make, steps),
            "a reset removes all state": lambda: _reset_removes_state(make, steps),
            "a step changes no array that others hold": lambda: _arrays_stay(make, steps),
        },
    )


def _named_factory(
    environment: EnvironmentSource, options: dict[str, Any]
) -> tuple[str, Callable[[], gymnasium.Env[Any, Any]]]:
    if not isinstance(environment, str):
        return getattr(environment, "__name__", "environment"), environment
    known = sorted(gymnasium.registry)
    id = next((each for each in (environment, f"{NAMESPACE}/{environment}") if each in known), None)
    if id is None:
        raise UnknownName(f"Gymnasium has no environment {environment!r}.{did_you_mean(environment, known)}")
    return id, lambda: gymnasium.make(id, disable_env_checker=True, **options)


def _gymnasium_check(make: Callable[[], gymnasium.Env[Any, Any]]) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(infinity|symmetric and normalized).*")
        env = make().unwrapped
        check_env(env, skip_render_check=True)
        env.close()


def _spaces_hold(make: Callable[[], gymnasium.Env[Any, Any]], steps: int) -> None:
    env = make()

    def look(t: int, observation: Any, outcome: tuple[Any, ...]) -> None:
        require(observation in env.observation_space, f"observation {t} is not in {env.observation_space}")
        if outcome:
            reward, terminated, truncated = outcome
            require(bool(np.isfinite(reward)), f"the reward of step {t} is {reward}")
            flags = {"terminated": terminated, "truncated": truncated}
            for name, value in flags.items():
                require(isinstance(value, (bool, np.bool_)), f"{name} of step {t} is {value!r}, not a boolean")

    _run(env, SEEDS[0], steps, look)
    env.close()


def _reproducible(make: Callable[[], gymnasium.Env[Any, Any]], steps: int) -> None:
    first, second = (_history(make(), SEEDS[0], steps) for _ in range(2))
    _require_same(first, second, f"two instances with seed {SEEDS[0]}")
    other = _history(make(), SEEDS[1], steps)
    require(first != other, f"seeds {SEEDS[0]} and {SEEDS[1]} give the same episode")


def _reset_removes_state(make: Callable[[], gymnasium.Env[Any, Any]], steps: int) -> None:
    fresh, used = make(), make()
    _history(used, SEEDS[1], steps)
    _require_same(_history(fresh, SEEDS[0], steps), _history(used, SEEDS[0], steps), "a new and a used instance")


def _arrays_stay(make: Callable[[], gymnasium.Env[Any, Any]], steps: int) -> None:
    env, held = make(), list[tuple[Any, bytes]]()
    _run(env, SEEDS[0], steps, lambda t, observation, outcome: held.append((observation, as_bytes(observation))))
    for t, (observation, before) in enumerate(held):
        require(as_bytes(observation) == before, f"observation {t} changed after it was returned")
    env.close()


def _history(env: gymnasium.Env[Any, Any], seed: int, steps: int) -> list[bytes]:
    """Return every observation and outcome of an episode with random actions, as bytes."""
    found: list[bytes] = []
    _run(env, seed, steps, lambda t, observation, outcome: found.append(as_bytes((observation, outcome))))
    return found


def _run(
    env: gymnasium.Env[Any, Any], seed: int, steps: int, look: Callable[[int, Any, tuple[Any, ...]], None]
) -> None:
    """Run one episode with random actions and pass on its observations and outcomes."""
    actions = deepcopy(env.action_space)
    actions.seed(seed)
    observation, _ = env.reset(seed=seed)
    look(0, observation, ())
    for t in range(1, steps + 1):
        action = actions.sample()
        before = as_bytes(action)
        observation, reward, terminated, truncated, _ = env.step(action)
        require(as_bytes(action) == before, f"step {t} changed its action")
        look(t, observation, (reward, terminated, truncated))
        if terminated or truncated:
            return


def _require_same(first: list[bytes], second: list[bytes], who: str) -> None:
    require(len(first) == len(second), f"{who} have episodes of {len(first) - 1} and {len(second) - 1} steps")
    for t, (one, other) in enumerate(zip(first, second, strict=True)):
        require(one == other, f"{who} differ at step {t}")


def as_bytes(value: Any) -> bytes:
    """Return the bytes of an observation or action: arrays, numbers, texts, and mappings and sequences of them."""
    if isinstance(value, Mapping):
        return b"".join(repr(key).encode() + as_bytes(value[key]) for key in sorted(value))
    if isinstance(value, (tuple, list)):
        return b"".join(as_bytes(each) for each in value)
    if isinstance(value, (str, bytes)):
        return value.encode() if isinstance(value, str) else value
    array = np.asarray(value)
    return f"{array.dtype}{array.shape}".encode() + array.tobytes()
