"""The laws of detectors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.anomalies.fault import Fault
from offnominal.core.checks import instance_of
from offnominal.core.discrete_actions import are_discrete
from offnominal.core.episode import Episode
from offnominal.core.policy import RandomPolicy
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.baselines import Random
from offnominal.detectors.catalogue import detectors, make_detector, name_of
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.files import load_detector, save_detector
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.laws.capabilities import exports, require_device, require_gpu_tag, require_needs
from offnominal.laws.code import executed, require_covered_detector
from offnominal.laws.exported import require_exported
from offnominal.laws.named_errors import require_named_error
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require
from offnominal.rollouts.collection import collect
from offnominal.worlds.world_source import build_world

WORLD = "SAP-Goal0-v0"
TRAINING, FRESH = 24, 6
"""Number of episodes for training and for scoring."""
IMAGE_TRAINING, IMAGE_FRESH = 8, 3
"""The same for image detectors, which are slower."""
SIDE = 32
ROUNDING = 1e-4
"""Largest relative difference of two scores of a transition in different batches on a CPU: rounding of single
precision."""
GPU_ROUNDING = 1e-3
"""The same on a GPU, where the shape of a product decides how it is summed."""
UNIT = 1024.0
"""Factor of another unit; a power of two, so that rounding stays the same."""
INVALID = (np.nan, np.inf, -1e160)
"""Invalid readings."""


def check_detector(
    detector: str | Callable[[], Detector],
    *,
    episodes: Sequence[Episode] | None = None,
    fresh: Sequence[Episode] | None = None,
    tolerance: float = ROUNDING,
) -> LawReport:
    """Check the laws of detectors for one detector.

    1. Causal: scores up to a transition do not depend on later transitions.
    2. Batch-invariant: the scores of an episode do not depend on the other episodes of the call.
    3. Online equals batch.
    4. Pure: scoring changes neither the fitted state nor online states.
    5. Training is reproducible by its seed; a saved and loaded detector gives the same scores.
    6. Not degenerate: scores are finite and not constant.
    7. An invalid reading is not an error: a transition with a reading that is NaN, infinite or beyond 1e30 has the
       largest score, online and in a batch; scores before it do not change, and scores after it recover.
    8. Invalid input is a named error.
    9. Contributions of channels are finite, and add up to the score where they are exact; explaining changes nothing.
    10. Its code version, part of the key of stored results, covers all code that it runs.
    11. A file of :meth:`Detector.export` gives the scores of `update` up to rounding, also for episodes with one
        channel, without channels or without actions, if it can be fitted to them. The law does not apply without
        onnxruntime. A registered detector without an ONNX form, which has no tag ``onnx``, refuses the export.
    12. A detector with a torch network has the parameter `device`, and only such a detector.
    13. The :data:`tags <offnominal.core.capabilities.Tag>` and :data:`needs <offnominal.core.capabilities.Need>` of
        its entry are true. The law does not apply to detectors that are not registered.
    14. The unit of a channel does not change the order of scores: training and scoring with another unit of the first
        observation channel. The law does not apply to images, to detectors for some worlds only and to the random
        baseline.

    A repeated call, a second training with the same seed, and a saved and loaded detector give the same bits, on a CPU
    and on a GPU. Scores in another batch (laws 1 to 3) may differ by the rounding of matrix products.

    Args:
        detector: Id, or a function that returns a new, unfitted detector, such as its class.
        episodes: Nominal episodes for training; recorded if None, as small images for image detectors.
        fresh: Other episodes to score; recorded if None.
        tolerance: Largest relative difference of scores in another batch. The default suits a CPU; a GPU needs
            :data:`GPU_ROUNDING`.

    Example:
        >>> check_detector("Mahalanobis").ok
        True
    """
    make: Callable[[], Detector] = partial(make_detector, detector) if isinstance(detector, str) else detector
    sample = instance_of("what the function returns", make(), Detector)  # type: ignore[type-abstract]
    recorded: Callable[..., list[Episode]] = (
        _image_episodes if sample.pixel_observations else partial(_episodes, world=sample.default_world or WORLD)
    )
    n, m = (IMAGE_TRAINING, IMAGE_FRESH) if sample.pixel_observations else (TRAINING, FRESH)
    training, scored = episodes or recorded(n, 0), fresh or recorded(m, 900, faulty=True)
    case = _Case(make, training, scored, tolerance)
    return check_laws(
        case.fitted.name,
        {
            "it is causal": case.causal,
            "scores do not depend on the batch": case.batch_invariant,
            "online equals batch": case.online_equals_batch,
            "scoring changes nothing": case.pure,
            "training is reproducible by its seed": case.deterministic,
            "a saved detector is loaded unchanged": case.saved,
            "scores are finite and differ": case.not_degenerate,
            "an invalid reading has the largest score": case.invalid_reading,
            "invalid input is a named error": case.invalid_input,
            "contributions explain the scores": case.explained,
            "its code version covers its code": case.code_is_covered,
            "an exported file gives the same scores": case.exported,
            "a network takes a device": case.device,
            "its declared capabilities are true": case.capabilities,
            "the unit of a channel has no effect": case.unit_invariant,
        },
    )


def _episodes(n: int, seed: int, *, faulty: bool = False, world: str = WORLD) -> list[Episode]:
    space = build_world(world, 1).action_space
    fault = Fault("observation/offset" if isinstance(space, Discrete) else "action/offset", 0.5, 8) if faulty else None
    return collect(world, RandomPolicy(space), n, faults=fault, seed=seed, max_steps=20)


def _image_episodes(n: int, seed: int, *, faulty: bool = False) -> list[Episode]:
    """Return episodes whose observations are rendered as small images."""
    episodes = _episodes(n, seed, faulty=faulty)
    observations = np.concatenate([episode.observations for episode in episodes])
    world = build_world(WORLD, len(observations))
    rows = np.arange(world.n)
    world.reset(rows, rows, rows)
    images = np.moveaxis(world.frames(observations=observations, size=SIDE), -1, 1)
    ends = np.cumsum([len(episode) + 1 for episode in episodes])
    return [
        replace(episode, observations=frames)
        for episode, frames in zip(episodes, np.split(images, ends[:-1]), strict=True)
    ]


class _Case:
    """A fitted detector with the scores of its laws."""

    def __init__(
        self, make: Callable[[], Detector], episodes: Sequence[Episode], fresh: Sequence[Episode], tolerance: float
    ) -> None:
        self.make, self.episodes, self.fresh, self.tolerance = make, list(episodes), list(fresh), tolerance
        self.fitted = make().fit(self.episodes, seed=1)
        self.scores = self.fitted.score(self.fresh)

    def causal(self) -> None:
        for number, (episode, scores) in enumerate(zip(self.fresh, self.scores, strict=True)):
            cut = len(episode) // 2
            if not cut:
                continue
            observations, actions = episode.observations.copy(), episode.actions.copy()
            observations[cut + 1 :] = _other(observations[cut + 1 :])
            actions[cut:] = 0 if are_discrete(actions) else 0.5 * actions[cut:]
            (changed,) = self.fitted.score([replace(episode, observations=observations, actions=actions)])
            require(
                self.close(changed[:cut], scores[:cut]),
                f"the first {cut} scores of episode {number} depend on later transitions",
            )

    def batch_invariant(self) -> None:
        for number, (episode, scores) in enumerate(zip(self.fresh, self.scores, strict=True)):
            (alone,) = self.fitted.score([episode])
            require(self.close(alone, scores), f"episode {number} has other scores alone: {_worst(alone, scores)}")

    def online_equals_batch(self) -> None:
        all_online = self._online(self.fresh)
        for number, scores in enumerate(self.scores):
            online, expected = all_online[:, number], scores[: len(all_online)]
            require(
                self.close(online, expected), f"episode {number} has other scores online: {_worst(online, expected)}"
            )

    def _online(self, episodes: Sequence[Episode]) -> FloatArray:
        """Return the online scores of parallel episodes, (time, episodes), until the first one ends."""
        state, online = self.fitted.start(len(episodes)), []
        for t in range(min(map(len, episodes))):
            state, scores = self.fitted.update(state, _step(episodes, t))
            require(scores.shape == (len(episodes),), f"update returned scores of shape {scores.shape}")
            online.append(scores)
        return np.array(online)

    def pure(self) -> None:
        before = copy.deepcopy(self.fitted.state_dict()) if name_of(self.fitted) else {}
        state = self.fitted.start(len(self.fresh))
        first = [self.fitted.update(state, _step(self.fresh, 0))[1] for _ in range(2)]
        require(bool(np.array_equal(first[0], first[1])), "the same state and step give other scores the second time")
        again = self.fitted.score(self.fresh)
        require(all(map(np.array_equal, again, self.scores)), "scoring again gives other scores")
        after = self.fitted.state_dict() if before else {}
        for name, values in before.items():
            require(np.array_equal(values, after[name]), f"scoring changed {name}")

    def deterministic(self) -> None:
        again, _ = self.repeated
        for number, (first, second) in enumerate(zip(self.scores, again, strict=True)):
            require(np.array_equal(first, second), f"fitted again with the same seed, episode {number} differs")

    def saved(self) -> None:
        if name_of(self.fitted) is None:
            raise SkipLaw("it is not registered, so it cannot be saved")
        with TemporaryDirectory() as folder:
            path = Path(folder) / "detector"
            save_detector(path, self.fitted)
            loaded = load_detector(path).score(self.fresh)
        for number, (first, second) in enumerate(zip(self.scores, loaded, strict=True)):
            require(np.array_equal(first, second), f"loaded again, episode {number} differs")

    def exported(self) -> None:
        name = name_of(self.fitted)
        declared = None if name is None else exports(name, self.fitted.get_params())
        require_exported(self.make, self.fitted, self.episodes, self.fresh[0], declared=declared)

    def device(self) -> None:
        require_device(self.fitted)

    def capabilities(self) -> None:
        name = name_of(self.fitted)
        require_gpu_tag(self.fitted, name, detectors)
        require_needs(self.fitted, str(name))

    def unit_invariant(self) -> None:
        if self.fitted.pixel_observations:
            raise SkipLaw("images have no units")
        if self.fitted.default_world is not None:
            raise SkipLaw("it accepts episodes of some worlds only, whose units it knows")
        if isinstance(self.fitted, Random):
            raise SkipLaw("its scores are random numbers, drawn for the bits of the observations")
        other = self.make().fit(_in_other_unit(self.episodes), seed=1)
        scores, changed = np.concatenate(self.scores), np.concatenate(other.score(_in_other_unit(self.fresh)))
        reordered = changed[np.argsort(scores, kind="stable")]
        fall = float((np.maximum.accumulate(reordered) - reordered).max())
        require(
            fall <= self.tolerance * float(np.abs(changed).max()),
            f"with the first channel times {UNIT:g}, a score that was not smaller is smaller by {fall:.3g}",
        )

    def not_degenerate(self) -> None:
        for number, (episode, scores) in enumerate(zip(self.fresh, self.scores, strict=True)):
            require(
                scores.shape == (len(episode),), f"episode {number} has {len(episode)} steps, {scores.shape} scores"
            )
            require(bool(np.isfinite(scores).all()), f"episode {number} has a score that is not finite")
        pooled = np.concatenate(self.scores)
        require(bool(np.ptp(pooled) > 0.0), f"every score is {pooled[0]:g}")

    def invalid_reading(self) -> None:
        for reading in INVALID:
            episode, invalid = _with_invalid_reading(self.fresh[0], reading)
            (scores,) = self.fitted.score([episode])
            require(bool(np.isfinite(scores).all()), f"a reading of {reading} gives a score that is not finite")
            largest = scores[invalid] == MAX_SCORE
            require(bool(largest.all()), f"a reading of {reading} has the score {scores[invalid][~largest]}")
            first, last = np.flatnonzero(invalid)[[0, -1]]
            require(
                self.close(scores[:first], self.scores[0][:first]), f"a reading of {reading} changes scores before it"
            )
            require(bool((scores[last + 1 :] < MAX_SCORE).all()), f"scores do not recover from a reading of {reading}")
            online = self._online([episode])[:, 0]
            require(
                self.close(online, scores), f"a reading of {reading} has another score online: {_worst(online, scores)}"
            )

    def invalid_input(self) -> None:
        episode = self.fresh[0]
        narrow = episode.observations[:, :-1] if episode.observations.shape[1] > 1 else episode.observations[:, [0, 0]]
        cases: dict[str, Callable[[], list[Episode]]] = {
            "observations that are text": lambda: [replace(episode, observations=episode.observations.astype("U9"))],
            "observations of another width": lambda: [replace(episode, observations=narrow)],
            "no episodes": list,
        }
        for what, given in cases.items():
            require_named_error(what, lambda: self.fitted.score(given()))  # noqa: B023
        require_named_error("scoring before training", lambda: self.make().score(self.fresh))

    def explained(self) -> None:
        if self.fitted.pixel_observations:
            require_named_error("explaining images", lambda: self.fitted.explain(self.fresh[0]))
            return
        found, again = self.fitted.explain(self.fresh[0]), self.fitted.explain(self.fresh[0])
        require(found == again, "explaining again gives other contributions")
        require(np.array_equal(self.fitted.score(self.fresh)[0], self.scores[0]), "explaining changes the scores")
        require(bool(np.isfinite(found.contributions).all()), "a contribution is not finite")
        total = found.contributions.sum(axis=1)
        if found.exact:
            require(self.close(total, found.scores), f"contributions add up to {_worst(total, found.scores)}")

    @cached_property
    def repeated(self) -> tuple[list[FloatArray], set[str]]:
        """The scores after a second training, and the executed definitions."""
        detector = self.make()
        with executed(type(detector).__module__.partition(".")[0]) as found:
            scores = detector.fit(self.episodes, seed=1).score(self.fresh)
        return scores, found

    def code_is_covered(self) -> None:
        require_covered_detector(self.make, self.fitted, name_of(self.fitted), detectors, self.repeated[1])

    def close(self, first: FloatArray, second: FloatArray) -> bool:
        """Return whether scores of two batches agree."""
        return bool(np.allclose(first, second, rtol=self.tolerance, atol=0.01 * self.tolerance))


def _in_other_unit(episodes: Sequence[Episode]) -> list[Episode]:
    """Return the episodes with another unit of the first observation channel."""
    return [replace(each, observations=_scaled(each.observations)) for each in episodes]


def _scaled(observations: Array) -> Array:
    scaled = observations.copy()
    scaled[:, 0] *= UNIT
    return scaled


def _other(observations: Array) -> Array:
    """Return other observations of the same type: bytes are inverted, numbers are shifted."""
    return ~observations if observations.dtype == np.uint8 else observations + 1.0


def _with_invalid_reading(episode: Episode, reading: float) -> tuple[Episode, BoolArray]:
    """Return an episode with an invalid reading in the middle, and the transitions that contain it.

    Images are bytes, which are always valid; there an action is invalid.
    """
    middle, invalid = len(episode) // 2, np.zeros(len(episode), np.bool_)
    name = "actions" if episode.observations.dtype.kind in "biu" else "observations"
    values = getattr(episode, name).astype(np.float64)
    values.reshape(len(values), -1)[middle, 0] = reading
    invalid[middle] = True
    if name == "observations" and middle:
        invalid[middle - 1] = True
    return (replace(episode, actions=values) if name == "actions" else replace(episode, observations=values)), invalid


def _step(episodes: Sequence[Episode], t: int) -> Step:
    return Step(
        np.stack([episode.observations[t] for episode in episodes]),
        np.stack([episode.actions[t] for episode in episodes]),
        np.stack([episode.observations[t + 1] for episode in episodes]),
    )


def _worst(found: FloatArray, expected: FloatArray) -> str:
    index = int(np.argmax(np.abs(found - expected)))
    return f"{found[index]:.8g} for {expected[index]:.8g} at step {index}"
