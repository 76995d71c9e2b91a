"""Valid arguments for every public callable, made from the annotations of its parameters."""

import collections.abc
import enum
import inspect
import types
import typing
from functools import cache
from pathlib import Path

import gymnasium
import mujoco
import numpy as np
import torch
from gymnasium.spaces import Box, Discrete

import offnominal as off
from offnominal.agents import NetworkPolicy, ObservationNormaliser, Policy, RandomPolicy
from offnominal.agents.uncertainty import DenseNetworks, UncertainPolicy
from offnominal.alarms import Alarm, AlarmState, Maximum, Monitor, WindowMaximum, simulate_scores
from offnominal.anomalies import InjectedVectorEnv, Injection, Schedule
from offnominal.anomalies.kernel import SLOT
from offnominal.core import Episode
from offnominal.core.annotations import evaluated, expanded, is_of_type
from offnominal.datasets import LogEpisodes, Recipe
from offnominal.datasets.image_sets import ImageSet
from offnominal.detectors import Detector
from offnominal.detectors.diagnosis import NominalReference
from offnominal.detectors.discovery import Matching
from offnominal.detectors.rows import KNN, EstimatorAdapter, OutlierDetector, RowDetector
from offnominal.detectors.rows.estimator_adapter import OutlierEstimator
from offnominal.detectors.scenes import SceneObservation
from offnominal.evaluation import AlarmBudget, measure_alarm_budget
from offnominal.kinds import FaultEntry, Study
from offnominal.laws import street_scene
from offnominal.reports import Comparison
from offnominal.rollouts import Twin
from offnominal.sensing import Camera, MujocoScene, Poses, scene_from_mujoco
from offnominal.studies import BaseStudy, StudyKind, load_study, study_kinds
from offnominal.worlds import World
from offnominal.worlds.arm.rtde import ArmBackend, KinematicBackend
from offnominal.worlds.craft import GameState, new_game
from offnominal.worlds.road.rig_frame import RigFrame
from offnominal.worlds.road.scenarios import Scenario, ScenarioFile, TemporalAnomaly
from offnominal.worlds.road.scenes import DrivingFrame
from offnominal.worlds.road.town import RoadGraph, Snapshot, Town, TownSimulation, make_town
from offnominal.worlds.world_source import build_world

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


def comparison():
    data = {"train": nominal()[:4], "validation": nominal()[4:], "test": nominal()[4:]}
    faults = (off.Fault("observation/noise", 1.0),)
    changed = off.collect("SAP-Goal0-v0", BY_NAME["policy"](), 2, faults=faults, seed=9, max_steps=10)
    return off.compare(["Random"], {**data, "noise": changed}, replicates=0)


def network(kind):
    """Return a small instance of a detector that has learned."""
    small = {"n_epochs": 0, "hidden": 4, "n_estimators": 5, "max_iter": 10}
    known = inspect.signature(kind).parameters
    if inspect.isabstract(kind):
        kind = KNN
    made = kind(**{name: value for name, value in small.items() if name in known})
    return made.fit(np.random.default_rng(0).normal(size=(40, 3)), seed=1)


def scenario():
    return Scenario("one", "small-town", "SOFT_RAIN_NOON", 3, vehicles=4, pedestrians=4)


def explanations():
    detector = saved_detectors.fitted("KNN")[0]
    return [detector.explain(episode) for episode in 2 * nominal()]


def world():
    made = build_world("SAP-Goal0-v0", 2)
    made.reset(np.arange(2), np.arange(2), np.zeros(2, np.int64))
    return made


def monitor():
    detector = saved_detectors.fitted("KNN")[0]
    watched = Monitor(off.make("SAP-Goal0-v0"), detector, Maximum().fit(detector.score(nominal())))
    watched.reset(seed=0)
    return watched


BALL = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>"
BY_FUNCTION = {
    "discovery_loss": {"first": torch.eye(3), "second": torch.eye(3), "labels": torch.tensor([0, 0, -1])},
    "estimate_n_clusters": {"X": np.eye(6), "y": np.array([0, 0, 1, 1, -1, -1]), "max_clusters": 4},
}
"""Valid values that belong together, by the name of the function."""
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
    AlarmBudget: lambda kind: measure_alarm_budget([np.ones(5)], [2], [np.zeros(5)]),
    AlarmState: lambda kind: AlarmState(np.zeros(3, np.int64), np.zeros(3)),
    Alarm: lambda kind: (Maximum if inspect.isabstract(kind) else kind)().fit(scores()),
    Detector: lambda kind: saved_detectors.fitted("KNN")[0],
    Episode: lambda kind: nominal()[0],
    LogEpisodes: lambda kind: off.episodes_from(np.random.default_rng(0).normal(size=(300, 2)), window=20),
    RowDetector: network,
    RandomPolicy: lambda kind: kind(off.make("SAP-Goal0-v0").action_space),
    Policy: lambda kind: RandomPolicy(off.make("SAP-Goal0-v0").action_space),
    gymnasium.Env: lambda kind: off.make("SAP-Goal0-v0"),
    gymnasium.vector.VectorEnv: lambda kind: off.make_vec("SAP-Goal0-v0", 2),
    Box: lambda kind: Box(-1.0, 1.0, (2,)),
    Study: lambda kind: study(),
    BaseStudy: lambda kind: study(),
    StudyKind: lambda kind: study_kinds.build("study"),
    FaultEntry: lambda kind: FaultEntry("observation/noise", strength="strong"),
    Town: lambda kind: make_town("small-town"),
    Recipe: lambda kind: Recipe("SAP-Goal0-v0", "scripted", episodes=2),
    Schedule: lambda kind: Schedule(2),
    torch.Tensor: lambda kind: torch.ones(3),
    ObservationNormaliser: lambda kind: ObservationNormaliser(np.zeros(3), np.ones(3)),
    DenseNetworks: lambda kind: DenseNetworks.random((3, 4, 2)),
    UncertainPolicy: lambda kind: UncertainPolicy(DenseNetworks.random((3, 4, 2)), Discrete(2), kind="ensemble"),
    NetworkPolicy: lambda kind: NetworkPolicy([(np.ones((3, 2)), np.ones(2))], Box(-1.0, 1.0, (2,))),
    WindowMaximum: lambda kind: WindowMaximum(window=20).fit(scores()),
    Injection: lambda kind: off.make_vec("SAP-Goal0-v0", 2).injection,
    Comparison: lambda kind: comparison(),
    Camera: lambda kind: Camera((3.0, 0.0, 1.0), (0.0, 0.0, 0.0), width=8, height=8),
    Poses: lambda kind: Poses(np.zeros((2, 3)), np.tile(np.eye(3), (2, 1, 1))),
    mujoco.MjModel: lambda kind: mujoco.MjModel.from_xml_string(BALL),
    MujocoScene: lambda kind: scene_from_mujoco(mujoco.MjModel.from_xml_string(BALL)),
    Matching: lambda kind: Matching.of(np.array([3, 3, 5]), np.array([1, 1, 0])),
    OutlierDetector: lambda kind: OutlierDetector().fit(np.random.default_rng(0).normal(size=(40, 3))),
    NominalReference: lambda kind: NominalReference(explanations()),
    EstimatorAdapter: lambda kind: EstimatorAdapter(KNN(5)),
    OutlierEstimator: lambda kind: KNN(5),
    DrivingFrame: lambda kind: street_scene(1)[0],
    SceneObservation: lambda kind: SceneObservation.of(street_scene(1)[0]),
    Snapshot: lambda kind: TownSimulation("small-town").reset(seed=3, vehicles=4, pedestrians=4),
    RigFrame: lambda kind: street_scene(1)[0].sensors,
    Scenario: lambda kind: scenario(),
    RoadGraph: lambda kind: make_town("small-town").graph,
    ScenarioFile: lambda kind: ScenarioFile("small-town", (scenario(),)),
    TemporalAnomaly: lambda kind: TemporalAnomaly("cut-in", "vehicle.sedan"),
    ArmBackend: lambda kind: KinematicBackend(),
    GameState: lambda kind: new_game("v2", seed=3),
    World: lambda kind: world(),
    Monitor: lambda kind: monitor(),
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
        base = next((base for base in (kind, Alarm, RowDetector) if base in BY_CLASS and is_below(kind, base)), None)
        if base is not None:
            try:
                return BY_CLASS[base](kind)
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
        together = BY_FUNCTION.get(getattr(function, "__name__", ""), {})
        if parameter.name in together:
            return together[parameter.name]
        hint = hints(function).get(parameter.name, parameter.annotation)
        if parameter.name in BY_NAME:
            value = BY_NAME[parameter.name]()
            if is_of_type(value, hint):
                return value
        return self.of_hint(hint, parameter.name, depth)

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
        return value is kind or issubclass(value, kind)
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
