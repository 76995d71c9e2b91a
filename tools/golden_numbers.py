"""Small outputs of registered objects: if they change, the version of the object must be raised.

Tiny worlds, episodes, networks and cells, computed on a CPU by one thread. Numbers are kept to six digits and compared
with a tolerance, because rounding differs between processors: a hash of rounded numbers would differ wherever a number
lies near the limit between two of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from offnominal.alarms.catalogue import make_alarm
from offnominal.alarms.simulation import simulate_scores
from offnominal.anomalies import strengths
from offnominal.anomalies.anomaly import CameraAnomaly
from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.fault import Fault
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.policy import RandomPolicy
from offnominal.detectors.catalogue import make_detector
from offnominal.detectors.classifiers.catalogue import make_class_detector
from offnominal.detectors.scenes.catalogue import make_scene_detector
from offnominal.kinds import AlarmEntry, Cell, DataEntry
from offnominal.laws.anomaly import visible_parameter
from offnominal.laws.class_detector import FRESH, TRAINING, square_images
from offnominal.laws.detector import WORLD, _episodes, _image_episodes
from offnominal.laws.street_scenes import street_scene
from offnominal.rollouts.collection import collect
from offnominal.studies.base import BaseCell
from offnominal.studies.execution import run_cell, single_threaded
from offnominal.studies.kinds import cell_from
from offnominal.studies.result_rows import SPENT
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_source import build_world

SUMS = 10
"""Weighted sums that are kept of an output."""
TOLERANCES = {"world": 1e-4, "anomaly": 1e-4, "alarm": 1e-5, "study_kind": 1e-5}
LEARNED = 1e-3
"""Largest difference, relative to a number and to the root mean square of all, where an object learns: training
amplifies the rounding of a processor. `TOLERANCES` has those of the other kinds."""
FEW = {"n_epochs": 1, "max_iter": 20, "pretrain_iter": 20, "samples": 5, "n_estimators": 20, "n_members": 2}
"""Largest value of parameters that make training long."""
SMALL: dict[str, dict[str, Any]] = {
    "PredNet": {"channels": 4, "layers": 3},
    "PatchAutoencoder": {"channels": 2},
    "ODIN": {"epsilon": 0.01},
}
SMALL |= {name: {"channels": 4} for name in ("PredAE", "LDM", "LRDM", "RSSM-PPM")}
TINY = {"width": 8, "n_steps": 2, "batch_size": 2, "device": "cpu"}
SEGMENTERS = ("Energy", "Entropy", "Mahalanobis", "MaxLogit", "MaxSoftmax")
SCENES: dict[str, dict[str, Any]] = dict.fromkeys((*SEGMENTERS, "REAL", "REAL-NoObjects"), TINY)
SCENES |= {id: {**TINY, "n_layers": 1} for id in ("EAM", "RbA", "RbA-NoOutliers")}
"""Parameters of networks on scenes."""
STEPS = 10
STRENGTHS = Path(__file__).with_name("golden_strengths.csv")
POLICY = "tqc"
"""A policy that is never the expert of a world, so that a new expert does not change the numbers."""
Numbers = list[float]


def golden_numbers(name: str) -> Numbers | None:
    """Return a few numbers that an object gives; None if it has no check.

    Args:
        name: Name in the lock, such as ``"detector/KNN"``.
    """
    kind, _, id = name.partition("/")
    compute = STUDIES.get(name) or CHECKS.get(kind)
    if compute is None or (kind == "anomaly" and _world_of(id) is None):
        return None
    with TemporaryDirectory() as folder, single_threaded(), frozen_strengths():
        before = os.environ.get(DATA_VARIABLE)
        os.environ[DATA_VARIABLE] = folder
        try:
            return kept(compute(id))
        finally:
            os.environ.pop(DATA_VARIABLE) if before is None else os.environ.update({DATA_VARIABLE: before})


@contextmanager
def frozen_strengths() -> Iterator[None]:
    """Name the strengths of `golden_strengths.csv`, so that a new calibration does not change the numbers."""
    table = tuple(strengths.read_strengths(STRENGTHS))
    with patch.object(strengths, "calibrated_strengths", lambda: table):
        strengths._by_anomaly.cache_clear()
        try:
            yield
        finally:
            strengths._by_anomaly.cache_clear()


def kept(outputs: Iterable[Any]) -> Numbers:
    """Return some numbers that every value of the outputs changes: weighted sums of parts, mean and spread.

    The inverse hyperbolic sine makes scores, steps and grey levels count alike.

    Example:
        >>> kept([[1.0, 2.0], [300.0]])[-2:]
        [2.90731, 2.47819]
    """
    values = np.concatenate([np.asarray(each, float).ravel() for each in outputs])
    values = np.arcsinh(values[np.isfinite(values)])
    weights = np.cos(np.arange(len(values)))
    parts = [part.sum() for part in np.array_split(values * weights, SUMS)]
    return [float(f"{value:.6g}") for value in (*parts, values.mean(), values.std())]


def difference(name: str, pinned: Numbers, present: Numbers) -> str:
    """Return how the numbers of an object changed; empty if they agree up to rounding.

    Example:
        >>> difference("alarm/Maximum", [1.0, 2.0], [1.0, 2.1])
        '2.0 became 2.1'
        >>> difference("alarm/Maximum", [1.0, 2.0], [1.0, 2.0000001])
        ''
    """
    if len(pinned) != len(present):
        return f"{len(pinned)} numbers became {len(present)}"
    old, new = np.array(pinned), np.array(present)
    allowed = TOLERANCES.get(name.partition("/")[0], LEARNED) * (np.abs(old) + np.sqrt(np.mean(old**2)))
    worst = int(np.argmax(np.abs(new - old) - allowed))
    return f"{old[worst]} became {new[worst]}" if np.abs(new - old)[worst] > allowed[worst] else ""


def _world(id: str) -> Iterable[Any]:
    world = build_world(id, 2)
    for episode in collect(id, RandomPolicy(world.action_space), 2, seed=0, max_steps=STEPS):
        yield from (episode.observations, episode.rewards)
    if world.camera is not None:
        rows = np.arange(2)
        world.reset(rows, rows, rows)
        yield world.frames(rows, size=32).mean((1, 2))


def _anomaly(id: str) -> Iterable[Any]:
    anomaly = make_anomaly(id)
    place = _world_of(id) or WORLD
    world = build_world(place, 1)
    fault = Fault(anomaly, visible_parameter(anomaly, world), 2)
    camera = isinstance(anomaly, CameraAnomaly)
    policy = RandomPolicy(world.action_space)
    for episode in collect(place, policy, 2, faults=fault, seed=0, max_steps=STEPS, frames=camera):
        yield from (episode.observations, episode.rewards, episode.extras["executed_actions"])
        if camera:
            yield episode.extras["frames"].mean((1, 2))


def _world_of(anomaly: str) -> str | None:
    """Return a shipped world that an anomaly can act in; None if only models of other packages have its parameter."""
    name = anomaly.removeprefix("dynamics/")
    has = (spec.id for spec in worlds if any(each.name == name for each in worlds.card(spec.id).physics_parameters))
    return WORLD if name == anomaly else next(has, None)


def _alarm(id: str) -> Iterable[Any]:
    alarm = make_alarm(id).fit(simulate_scores(79, steps=(15, 35), seed=0))
    fresh = [3.0 * scores for scores in simulate_scores(6, steps=(15, 35), seed=1)]
    return [*alarm.statistic(fresh), *alarm.alarm(fresh)]


def _detector(id: str) -> Iterable[Any]:
    detector = make_detector(id, **_quick(id, make_detector(id).get_params()))
    if detector.pixel_observations:
        training, fresh = _image_episodes(4, 0), _image_episodes(2, 900, faulty=True)
    else:
        place = detector.default_world or WORLD
        training, fresh = _episodes(12, 0, world=place), _episodes(4, 900, faulty=True, world=place)
    return detector.fit(training, seed=1).score(fresh)


def _class_detector(id: str) -> Iterable[Any]:
    images, labels = square_images(TRAINING, 2, seed=0)
    detector = make_class_detector(id, **_quick(id, make_class_detector(id).get_params()) | {"batch_size": 12})
    return [detector.fit(images, labels, seed=1).score(square_images(FRESH, 3, seed=1)[0])]


def _scene_detector(id: str) -> Iterable[Any]:
    detector = make_scene_detector(id, **SCENES.get(id, {}))
    scores = detector.fit([street_scene(2, seed=0)], seed=1).score(street_scene(2, seed=90, anomaly=True))
    for frame in scores:
        yield from frame.cameras.values()
        yield from frame.lidars.values()


def _quick(id: str, given: Mapping[str, Any]) -> dict[str, Any]:
    few = {each: most for each, most in FEW.items() if isinstance(given.get(each), int) and given[each] > most}
    return SMALL.get(id.removesuffix("-untrained"), {}) | few | _device(given)


def _device(given: Mapping[str, Any]) -> dict[str, str]:
    return {"device": "cpu"} if "device" in given else {}


DATA = DataEntry(episodes=6, validation=20, anomalies=("action/offset",), levels=("strong",))


def _study(id: str) -> Iterable[Any]:
    shared = {"data": DATA, "alarms": (AlarmEntry("maximum", "EpisodeMaximum"),), "replicates": 10}
    return _rows(Cell(WORLD, "KNN", "KNN", policy=POLICY, **shared))  # type: ignore[arg-type]


def _transfer(id: str) -> Iterable[Any]:
    worlds_ = [WORLD, "SAP-Goal1-v0"]
    given = {
        "world": WORLD,
        "name": "KNN",
        "detector": "KNN",
        "test_worlds": worlds_,
        "replicates": 10,
        "policy": POLICY,
    }
    return _rows(cell_from({"kind": "transfer", **given, "data": DATA.to_dict()}))


def _unseen_policy(id: str) -> Iterable[Any]:
    given = {"world": WORLD, "name": "KNN", "detector": "KNN", "replicates": 10, "policy": POLICY}
    tested = {"test_policies": [POLICY, "scripted"]}
    return _rows(cell_from({"kind": "unseen-policy", **given, **tested, "data": DATA.to_dict()}))


def _diagnosis(id: str) -> Iterable[Any]:
    given = {"world": WORLD, "name": "Mahalanobis", "detector": "Mahalanobis", "replicates": 10, "policy": POLICY}
    return _rows(cell_from({"kind": "diagnosis", **given, "data": DATA.to_dict()}))


def _streams(id: str) -> Iterable[Any]:
    world, alarms = "OOD-CartPole-v0", ("EpisodeMaximum", "EDetector", "ACI")
    plan = {"streams": 2, "unit": 20, "segment": 5, "train": 4, "calibration": 12, "test": 12}
    given = {
        "world": world,
        "condition": {"name": "wear", "course": "wear", "event": "maintenance"}
        | {"anomalies": {world: "dynamics/push_force"}, "parameters": {world: 7.0}},
        "name": "Mahalanobis",
        "detector": "Mahalanobis",
        "plan": plan | {"recalibration": 2, "cycle": 4, "promise": 0.1},
        "background": [{"anomaly": "observation/noise", "level": "background", "parameters": {world: 0.01}}],
        "faults": [{"anomaly": "observation/offset", "level": "medium", "parameters": {world: 0.1}}],
        "alarms": [{"name": alarm, "alarm": alarm, "recalibrated": alarm == "EpisodeMaximum"} for alarm in alarms],
        "nulls": ["clock", "restarts"],
        "replicates": 10,
    }
    return _rows(cell_from({"kind": "streams", **given}))


def _search(id: str) -> Iterable[Any]:
    draws = np.random.default_rng(0)
    points = np.vstack([draws.normal(size=(60, 3)), draws.normal(4.0, 2.0, (20, 3))])
    with TemporaryDirectory() as folder:
        table = Path(folder, "table.csv")
        lines = [f"{a:.4f},{b:.4f},{c:.4f},{int(row >= 60)}" for row, (a, b, c) in enumerate(points)]
        table.write_text("\n".join(["a,b,c,label", *lines]), encoding="utf-8")
        cell = {"kind": "search", "table": f"{table}:label", "method": "knn", "seed": 1, "configurations": 3}
        return list(_rows(cell_from(cell)))


def _rows(cell: BaseCell) -> Iterable[Any]:
    """Return the numbers of the rows of a cell, without times and other costs."""
    table = run_cell(cell).rows
    for column in table.column_names:
        values = [value for value in table[column].to_pylist() if isinstance(value, float | int)]
        if column not in SPENT and values:
            yield values


CHECKS: dict[str, Callable[[str], Iterable[Any]]] = {
    "world": _world,
    "anomaly": _anomaly,
    "alarm": _alarm,
    "detector": _detector,
    "class_detector": _class_detector,
    "scene_detector": _scene_detector,
}
STUDIES: dict[str, Callable[[str], Iterable[Any]]] = {
    "study_kind/study": _study,
    "study_kind/transfer": _transfer,
    "study_kind/diagnosis": _diagnosis,
    "study_kind/unseen-policy": _unseen_policy,
    "study_kind/streams": _streams,
    "study_kind/search": _search,
}
"""Study kinds whose cells need nothing that is recorded, trained or downloaded before."""
