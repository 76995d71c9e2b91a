"""Valid arguments for every public callable, made from the annotations of its parameters."""

import collections.abc
import enum
import inspect
import types
import typing
from functools import cache
from pathlib import Path

import gymnasium
import numpy as np
import torch
from gymnasium.spaces import Box

import offnominal as off
from offnominal.agents import ObservationNormaliser, Policy, RandomPolicy
from offnominal.agents.uncertainty import DenseNetworks
from offnominal.alarms import Alarm, AlarmState, Maximum, simulate_scores
from offnominal.anomalies import InjectedVectorEnv, Schedule
from offnominal.anomalies.kernel import SLOT
from offnominal.core import Episode
from offnominal.core.annotations import evaluated, expanded
from offnominal.datasets import Recipe
from offnominal.datasets.image_sets import ImageSet
from offnominal.detectors import Detector
from offnominal.detectors.rows import RowDetector
from offnominal.evaluation import OperatingCurve, measure_operating_curve
from offnominal.kinds import Study
from offnominal.rollouts import Twin
from offnominal.studies import load_study
from offnominal.worlds.road.town import Town, make_town

from . import saved_detectors
from .public_api import public_objects


class NoExample(Exception):
    """There is no valid value of a class."""


def nominal():
    return saved_detectors.episodes("SAP-Goal0-v0", False)


def scores():
    return simulate_scores(100, seed=3)


def study():
    return load_study("quickstart")


def network(kind):
    """Return a small instance of a detector that has learned."""
    small = {"n_epochs": 0, "hidden": 4, "n_estimators": 5, "max_iter": 10}
    known = inspect.signature(kind).parameters
    made = kind(**{name: value for name, value in small.items() if name in known})
    return made.fit(np.random.default_rng(0).normal(size=(40, 3)), seed=1)


BY_NAME = {
    "world": lambda: "SAP-Goal0-v0",
    "id": lambda: "SAP-Goal0-v0",
    "anomaly": lambda: "observation/noise",
    "anomaly_id": lambda: "observation/noise",
    "town": lambda: make_town("small-town"),
    "seed": lambda: 1,
    "episodes": nominal,
    "nominal": nominal,
    "policy": lambda: RandomPolicy(off.make("SAP-Goal0-v0").action_space),
    "observations": lambda: np.zeros((3, 6)),
    "frame": lambda: np.zeros((4, 5, 3), np.uint8),
}
"""Valid values of parameters whose annotation does not say enough."""
BY_CLASS = {
    np.void: lambda kind: np.zeros(1, SLOT)[0],
    Twin: lambda kind: Twin(nominal()[0], nominal()[0]),
    InjectedVectorEnv: lambda kind: off.make_vec("SAP-Goal0-v0", 2),
    OperatingCurve: lambda kind: measure_operating_curve([np.ones(5)], [2], [np.zeros(5)]),
    AlarmState: lambda kind: AlarmState(np.zeros(3, np.int64), np.zeros(3)),
    Alarm: lambda kind: (Maximum if inspect.isabstract(kind) else kind)().fit(scores()),
    Detector: lambda kind: saved_detectors.fitted("KNN")[0],
    Episode: lambda kind: nominal()[0],
    RowDetector: network,
    RandomPolicy: lambda kind: kind(off.make("SAP-Goal0-v0").action_space),
    Policy: lambda kind: RandomPolicy(off.make("SAP-Goal0-v0").action_space),
    gymnasium.Env: lambda kind: off.make("SAP-Goal0-v0"),
    gymnasium.vector.VectorEnv: lambda kind: off.make_vec("SAP-Goal0-v0", 2),
    Box: lambda kind: Box(-1.0, 1.0, (2,)),
    Study: lambda kind: study(),
    Town: lambda kind: make_town("small-town"),
    Recipe: lambda kind: Recipe("SAP-Goal0-v0", "scripted", episodes=2),
    Schedule: lambda kind: Schedule(2),
    torch.Tensor: lambda kind: torch.ones(3),
    ObservationNormaliser: lambda kind: ObservationNormaliser(np.zeros(3), np.ones(3)),
    DenseNetworks: lambda kind: DenseNetworks.of_layers([(np.ones((3, 2)), np.ones(2))]),
    ImageSet: lambda kind: ImageSet("two", np.zeros((4, 2, 2, 1), np.uint8), np.array([0, 1, 0, 1]), ("a", "b")),
}
"""Valid instances of classes that cannot be made from their annotations, by class; also for the classes below."""
DEPTH = 6


def array_of(kind):
    concrete = inspect.isclass(kind) and issubclass(kind, np.generic) and not inspect.isabstract(kind)
    try:
        return np.ones((3, 2), kind if concrete else float)
    except TypeError:
        return np.ones((3, 2))


class Examples:
    """Valid values, made on first use and shared between calls."""

    def __init__(self):
        self.instances = {}

    def of_class(self, kind, depth=0):
        """Return an instance of a class, or of a class below it."""
        if kind not in self.instances:
            self.instances[kind] = self.made(kind, depth)
        return self.instances[kind]

    def made(self, kind, depth):
        for base, make in BY_CLASS.items():
            if is_below(kind, base) and (kind is base or base in (Alarm, RowDetector)):
                try:
                    return make(kind)
                except Exception as error:
                    raise NoExample(f"no valid {kind.__name__} ({error})") from error
        if depth > DEPTH:
            raise NoExample(f"{kind.__name__} is nested too deeply")
        if issubclass(kind, enum.Enum):
            return next(iter(kind))
        for concrete in (kind, *below(kind)):
            if not inspect.isabstract(concrete) and not getattr(concrete, "_is_protocol", False):
                try:
                    return self.constructed(concrete, depth)
                except NoExample:
                    continue
                except Exception as error:
                    missing = error
                    continue
        raise NoExample(f"no valid {kind.__name__} ({locals().get('missing', 'abstract')})")

    def constructed(self, kind, depth):
        values = {}
        for parameter in inspect.signature(kind).parameters.values():
            if parameter.default is parameter.empty and parameter.kind not in (
                parameter.VAR_POSITIONAL,
                parameter.VAR_KEYWORD,
            ):
                values[parameter.name] = self.of_parameter(kind, parameter, depth + 1)
        return kind(**values)

    def of_parameter(self, function, parameter, depth=0):
        """Return a valid value of a parameter."""
        if parameter.name in BY_NAME:
            return BY_NAME[parameter.name]()
        return self.of_hint(hints(function).get(parameter.name, parameter.annotation), parameter.name, depth)

    def of_hint(self, hint, name, depth):
        """Return a valid value of an annotated type."""
        if isinstance(hint, str | typing.ForwardRef):
            text = hint if isinstance(hint, str) else hint.__forward_arg__
            found = next((value for key, value in public_objects().items() if key.endswith("." + text)), None)
            if found is None:
                raise NoExample(f"{text} of {name} is not public")
            hint = found
        hint = expanded(hint)
        if isinstance(hint, typing.TypeVar):
            hint = hint.__bound__ or int
        plain = PLAIN.get(hint) if isinstance(hint, collections.abc.Hashable) else None
        if plain is not None:
            return plain(name)
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            for option in sorted(arguments, key=is_private):
                try:
                    return self.of_hint(option, name, depth)
                except NoExample as error:
                    missing = error
            raise missing
        if origin is typing.Literal:
            return arguments[0]
        if origin is np.ndarray:
            return array_of((typing.get_args(arguments[1]) or (float,))[0])
        if origin is tuple:
            if not arguments:
                return ()
            chosen = arguments[:1] if arguments[-1] is Ellipsis else arguments
            return tuple(self.of_hint(option, name, depth) for option in chosen)
        if origin is type:
            return int
        if origin is collections.abc.Callable or hint is collections.abc.Callable:
            return lambda *_, **__: None
        if origin is not None and inspect.isclass(origin):
            if issubclass(origin, dict | collections.abc.Mapping) or origin is collections.abc.Mapping:
                return {self.of_hint(arguments[0], name, depth): self.of_hint(arguments[1], name, depth)}
            if origin in (set, frozenset):
                return origin([self.of_hint(arguments[0], name, depth)])
            if origin in (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection):
                return [self.of_hint(arguments[0], name, depth)]
            hint = origin
        if inspect.isclass(hint):
            return self.of_class(hint, depth)
        raise NoExample(f"no value of {hint} for {name}")


PLAIN = {
    int: lambda name: 3,
    float: lambda name: 0.5,
    bool: lambda name: False,
    str: lambda name: "text",
    bytes: lambda name: b"",
    object: lambda name: None,
    typing.Any: lambda name: None,
    type(None): lambda name: None,
    Path: lambda name: Path("folder") / name,
    inspect.Parameter.empty: lambda name: None,
    np.ndarray: lambda name: np.ones((3, 2)),
    dict: lambda name: {},
    slice: lambda name: slice(0, 1),
}


@cache
def below(kind):
    """Return public classes below a class."""
    found = {value for value in public_objects().values() if inspect.isclass(value) and value is not kind}
    return sorted((value for value in found if is_below(value, kind)), key=lambda value: value.__qualname__)


def is_private(hint):
    """Return whether a type belongs to its module alone: callers have no such value of their own."""
    return getattr(hint, "__name__", "").startswith("_")


def is_below(value, kind):
    try:
        return issubclass(value, kind)
    except TypeError:  # a protocol that cannot be checked at run time
        return False


@cache
def hints(function):
    """Return the annotations of a function or a constructor as types; unevaluated where a name is unknown."""
    if inspect.isclass(function):
        for method in (function.__init__, function.__new__, function):
            found = hints_of(method)
            if found:
                return found
        return {}
    return hints_of(function)


def hints_of(function):
    names = getattr(inspect.unwrap(function), "__globals__", {})
    return {name: evaluated(annotation, names) for name, annotation in getattr(function, "__annotations__", {}).items()}
