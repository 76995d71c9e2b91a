"""The laws of anomalies, in every world that has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from offnominal.agents.experts import expert, expert_cards
from offnominal.anomalies.anomaly import Anomaly, CameraAnomaly, DynamicsAnomaly
from offnominal.anomalies.catalogue import make_anomaly
from offnominal.anomalies.environment_info import EnvironmentInfo
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injection import Injection
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import calibrated_strengths, calibration_policies
from offnominal.core.episode import FRAMES, Episode, same_bytes
from offnominal.core.errors import MissingFile
from offnominal.core.policy import FunctionPolicy, Policy
from offnominal.core.rounding import fixed
from offnominal.core.streams import row_seeds
from offnominal.core.types import Array, FloatArray
from offnominal.laws.report import LawReport, SkipLaw, check_laws
from offnominal.laws.require import require
from offnominal.laws.started_fault import check_started_fault
from offnominal.rollouts.collection import collect, returns
from offnominal.rollouts.twin_rollouts import Twin, twins
from offnominal.worlds.camera import PixelCamera
from offnominal.worlds.world import World
from offnominal.worlds.world_source import build_world

PAIRS = 4
STEPS = 24
FRAME_PAIRS = 2
FRAME_STEPS = 12
ONSET = 6
DURATION = 5
DAMAGE_EPISODES = 12
ONSET_EPISODES = 6


def check_anomaly(anomaly: str | Anomaly, world: str, *, strength: float | None = None) -> LawReport:
    """Check the laws of anomalies for one anomaly in one world.

    1. Before its onset an episode is bit-identical to its nominal twin; at neutral strength, the whole episode is.
    2. From the onset on it changes its target, and nothing else.
    3. After the end of its schedule, and after a reset, everything it changed has its exact original value.
    4. The label `active` is true exactly while the fault is switched on. The onset depends only on the seed, and the
       episode is reproducible by its seed.
    5. A calibrated strength lowers the return of a policy that it was calibrated with, and a greater one lowers it
       more.
    6. Started and stopped at run time, it gives the same bytes as with a schedule.

    Args:
        anomaly: Id or object.
        world: Id of the world.
        strength: Raw parameter; if None, one with a visible effect.

    Example:
        >>> check_anomaly("action/offset", "SAP-Goal0-v0").ok
        True
    """
    case = _Case(make_anomaly(anomaly), world, strength)
    return check_laws(
        f"{case.anomaly.id} in {world}",
        {
            "nothing differs before the onset": case.nothing_before_onset,
            "neutral strength changes nothing": case.neutral_changes_nothing,
            "it changes only its target": case.changes_what_it_says,
            "it is undone when it ends": case.undone_when_it_ends,
            "it ends with its episode": case.does_not_outlive_its_episode,
            "labels are exact": case.labels_are_exact,
            "a faulty episode is reproducible by its seed": case.seed_fixes_the_episode,
            "the onset depends only on the seed": case.onset_depends_on_seed,
            "a calibrated strength lowers the return": case.calibrated_strength_harms,
            "starting it at run time equals scheduling it": case.start_equals_schedule,
        },
    )


def visible_parameter(anomaly: Anomaly, world: World) -> float:
    """Return a parameter with a visible effect within a few steps."""
    if isinstance(anomaly, DynamicsAnomaly):
        physics_parameter = world.physics_parameter(anomaly.physics_parameter)
        return (
            physics_parameter.typical
            if physics_parameter.typical is not None
            else physics_parameter.neutral * 2.0 or 8.0
        )
    if isinstance(anomaly, CameraAnomaly):
        return anomaly.typical
    return 3.0 if anomaly.integer else anomaly.neutral + 0.4


class _Case:
    """An anomaly in a world, with the rollouts of its laws."""

    def __init__(self, anomaly: Anomaly, world: str, strength: float | None) -> None:
        self.anomaly = anomaly
        self.world = world
        sample = build_world(world, 1)
        self.neutral = (
            sample.physics_parameter(anomaly.physics_parameter).neutral
            if isinstance(anomaly, DynamicsAnomaly)
            else anomaly.neutral
        )
        self.strength = visible_parameter(anomaly, sample) if strength is None else strength
        self.act = _moving_policy(sample)
        self.policy = FunctionPolicy(self.act)
        camera = isinstance(anomaly, CameraAnomaly)
        self.pixel_observations = isinstance(sample.camera, PixelCamera)
        self.records_frames = camera and not self.pixel_observations
        self.target = "observation" if camera and self.pixel_observations else anomaly.target
        self.n, self.steps = (FRAME_PAIRS, FRAME_STEPS) if camera else (PAIRS, STEPS)
        sample.close()

    def fault(self, strength: float | None = None, **schedule: Any) -> Fault:
        parameter = self.strength if strength is None else strength
        return Fault(self.anomaly, parameter, Schedule(**{"onset": ONSET, **schedule}))

    def pairs(self, fault: Fault) -> list[Twin]:
        options: dict[str, Any] = {"max_steps": self.steps, "frames": self.records_frames}
        return twins(self.world, self.policy, self.n, faults=fault, **options)

    @cached_property
    def visible_pairs(self) -> list[Twin]:
        """Pairs with a visible fault, which several laws examine."""
        return self.pairs(self.fault())

    def nothing_before_onset(self) -> None:
        for pair in self.visible_pairs:
            difference = _first_difference(pair.nominal, pair.faulty)
            require(
                difference is None or difference >= ONSET,
                f"seed {pair.faulty.seed} differs from its nominal twin at step {difference}, before the onset {ONSET}",
            )

    def neutral_changes_nothing(self) -> None:
        for pair in self.pairs(self.fault(self.neutral, onset="start")):
            nominal, faulty = (
                {key: value for key, value in episode.arrays().items() if key not in ("active", "applied")}
                for episode in (pair.nominal, pair.faulty)
            )
            require(same_bytes(nominal, faulty), f"seed {pair.faulty.seed} differs at neutral strength {self.neutral}")

    def changes_what_it_says(self) -> None:
        pairs = [pair for pair in self.visible_pairs if len(pair.faulty) > ONSET + 1]
        if not pairs:
            raise SkipLaw("every episode ends before the onset")
        if self.target == "dynamics":
            require(any(pair.effective_onset is not None for pair in pairs), "the physics never differs")
        observed = acted = imaged = False
        for pair in pairs:
            episode = pair.faulty
            clean, executed = episode.extras["clean_observations"], episode.extras["executed_actions"]
            saturated = _saturated(self.world, episode.actions)
            observed |= not np.array_equal(clean[1:], episode.observations[1:])
            acted |= not np.array_equal(executed, saturated)
            if self.target != "observation":
                require(np.array_equal(clean, episode.observations), f"seed {episode.seed}: an observation was changed")
            if self.target != "action":
                require(np.array_equal(executed, saturated), f"seed {episode.seed}: an action was changed")
            if self.target == "observation":
                first = slice(0, ONSET + 1)
                require(
                    np.array_equal(clean[first], pair.nominal.observations[first]),
                    f"seed {episode.seed}: the physics changed before the agent could react",
                )
            if self.target == "camera":
                imaged |= _only_frames_differ(pair)
        if self.target == "observation":
            require(observed, f"no observation was changed at strength {self.strength}")
        if self.target == "action":
            require(acted, f"no action was changed at strength {self.strength}")
        if self.target == "camera":
            require(imaged, f"no image was changed at strength {self.strength}")

    def undone_when_it_ends(self) -> None:
        world = build_world(self.world, 1)
        injection = self.injection(world, self.fault(onset=1, duration=2))
        row = np.zeros(1, np.int64)
        world.reset(row, row, row)
        before = world.current_physics(0)
        self._episode(world, injection, 0)
        _require_same(before, world.current_physics(0), "after the end of its schedule")
        require(injection.applied[0, 0] == self.neutral, "the parameter after its end is not the neutral one")
        action = _steady(world, 0.25)
        require(np.array_equal(injection.act(action, row), action), "an action is changed after its end")
        observed = injection.observe(world.observations, row)
        if isinstance(world.camera, PixelCamera):
            # A frame stack may contain earlier images.
            images = injection.camera_images(row)
            require(np.array_equal(images, world.camera.images(row)), "an image is changed after its end")
        else:
            require(np.array_equal(observed, world.observations), "an observation is changed after its end")
        if self.records_frames:
            frames = world.frames(row)
            require(
                np.array_equal(injection.apply_camera_faults(frames, row), frames), "an image is changed after its end"
            )

    def does_not_outlive_its_episode(self) -> None:
        world = build_world(self.world, 1)
        used, fresh = (self.injection(world, self.fault(onset="start")) for _ in range(2))
        row = np.zeros(1, np.int64)
        world.reset(row, row, row)
        before = world.current_physics(0)
        self._episode(world, used, 0)
        used.release(row)
        world.reset(row, row, row + 1)
        used.begin(row, row, row + 1)
        _require_same(before, world.current_physics(0), "after a reset")
        require(not used.active[0], "a new episode starts with the fault active")
        second = [self._episode(world, injection, 1) for injection in (used, fresh)]
        require(second[0] == second[1], "an episode depends on the episode before it")

    def injection(self, world: World, fault: Fault) -> Injection:
        return Injection([(fault,)], EnvironmentInfo.of(world, has_images=self.records_frames))

    def _episode(self, world: World, injection: Injection, episode: int) -> list[bytes]:
        """Run a few steps of an episode of seed 0 and return its observations and frames."""
        row = np.zeros(1, np.int64)
        injection.release(row)
        world.reset(row, row, row + episode)
        injection.begin(row, row, row + episode)
        recorded = [injection.apply_camera_faults(world.frames(row), row).tobytes()] if self.records_frames else []
        for _ in range(DURATION):
            world.step(injection.act(_steady(world, 0.0), row), row)
            recorded.append(injection.observe(world.observations, row).tobytes())
            if self.records_frames:
                recorded.append(injection.apply_camera_faults(world.frames(row), row).tobytes())
        return recorded

    def labels_are_exact(self) -> None:
        fault = self.fault(duration=DURATION, period=2)
        for pair in self.pairs(fault):
            length = len(pair.faulty)
            expected = fault.resolved_schedule.weights(self.steps)[:length] > 0
            require(
                np.array_equal(pair.faulty.active, expected),
                f"seed {pair.faulty.seed}: active is {pair.faulty.active.astype(int)}, the fault is switched on at "
                f"{np.flatnonzero(expected)}",
            )
            require(not pair.nominal.active.any(), f"seed {pair.nominal.seed}: the nominal twin is labelled active")

    def seed_fixes_the_episode(self) -> None:
        again = collect(
            self.world, self.policy, self.n, faults=self.fault(), max_steps=self.steps, frames=self.records_frames
        )
        for pair, second in zip(self.visible_pairs, again, strict=True):
            require(pair.faulty == second, f"two runs of seed {second.seed} differ")

    def onset_depends_on_seed(self) -> None:
        others = (
            ("camera/noise", "camera/exposure")
            if self.pixel_observations
            else ("observation/noise", "observation/offset")
        )
        other = others[0] if self.anomaly.id != others[0] else others[1]
        schedule = Schedule(onset=(0, self.steps - 1))
        fault = Fault(self.anomaly, self.strength, schedule)
        world = build_world(self.world, 1)
        onsets = [
            self._onsets(world, fault, 5),
            self._onsets(world, Fault(other, 0.1, schedule), 5),
            self._onsets(world, fault, 6),
        ]
        world.close()
        require(onsets[0] == onsets[1], f"onsets of seeds 5.. are {onsets[0]}, but {onsets[1]} for {other}")
        require(onsets[0][1:] == onsets[2][:-1], f"onsets {onsets[0]} do not follow from the seeds: {onsets[2]}")
        require(len(set(onsets[0])) > 1, "every seed has the same random onset")

    def _onsets(self, world: World, fault: Fault, seed: int) -> list[int]:
        """Return the onsets of the episodes of several seeds."""
        injection = Injection([(fault,)], EnvironmentInfo.of(world, self.steps, has_images=self.records_frames))
        row, onsets = np.zeros(1, np.int64), []
        for each in row_seeds(seed, ONSET_EPISODES):
            injection.release(row)
            world.reset(row, row + each, row)
            injection.begin(row, row + each, row)
            onsets.append(injection.events(0)[0].onset)
        return onsets

    def calibrated_strength_harms(self) -> None:
        lines = [
            line
            for line in calibrated_strengths()
            if line.world == self.world and line.anomaly == self.anomaly.id and line.attainable
        ]
        if not lines:
            raise SkipLaw("it has no calibrated strength in this world")
        for weaker, stronger in pairwise(lines):
            if weaker.direction == stronger.direction:
                require(
                    stronger.score < weaker.score,
                    f"{stronger.name} leaves {fixed(stronger.score, 3)} of the return, "
                    f"{weaker.name} {fixed(weaker.score, 3)}",
                )
        ends = [line for line in lines if line.direction == lines[0].direction]
        damages = self._damages(ends[0].parameter, ends[-1].parameter)
        require(bool(np.any(damages[0] != 0.0)), f"{ends[0].name}, {ends[0].parameter:g}, changes no return")
        require(
            len(ends) == 1 or damages[1].mean() > damages[0].mean(),
            f"{ends[-1].name} costs {damages[1].mean():.4g}, {ends[0].name} {damages[0].mean():.4g}",
        )

    def start_equals_schedule(self) -> None:
        world = build_world(self.world, 1)
        check_started_fault(world, self.fault(), self.act, frames=self.records_frames)
        world.close()

    def _damages(self, *parameters: float) -> list[FloatArray]:
        """Return the loss of return by faults of several strengths that last the whole episode."""
        faults = [Fault(self.anomaly, parameter, Schedule(onset="start")) for parameter in parameters]
        variants = [(), *((fault,) for fault in faults)]
        seeds = np.tile(row_seeds(0, DAMAGE_EPISODES), len(variants))
        rows = [variant for variant in variants for _ in range(DAMAGE_EPISODES)]
        nominal, *faulty = returns(self.world, calibration_policy(self.world), seeds, rows).reshape(len(variants), -1)
        return [nominal - totals for totals in faulty]


def calibration_policy(world: str) -> Policy:
    """Return a policy that the strengths of a world were calibrated with: the expert if it is one of them.

    Raises:
        SkipLaw: The weights of no such policy are here.

    Example:
        >>> type(calibration_policy("SAP-Goal0-v0")).__name__
        'NetworkPolicy'
    """
    used = calibration_policies(world)
    cards = [card for card in expert_cards() if card.world == world and card.sha256.startswith(used)]
    if not cards:
        return expert(world)
    try:
        return expert(world, min(cards, key=lambda card: not card.chosen).algorithm)
    except MissingFile as error:
        raise SkipLaw(f"its strengths belong to a policy that is not here: {error}") from None


def _only_frames_differ(pair: Twin) -> bool:
    """Return whether any frame differs; require that the first frame and all other arrays are equal."""
    nominal, faulty = (
        {name: value for name, value in episode.arrays().items() if name not in ("active", "applied")}
        for episode in (pair.nominal, pair.faulty)
    )
    frames, faulty_frames = nominal.pop(FRAMES), faulty.pop(FRAMES)
    require(same_bytes(nominal, faulty), f"seed {pair.faulty.seed}: more than the frames was changed")
    require(np.array_equal(frames[0], faulty_frames[0]), f"seed {pair.faulty.seed}: the first frame was changed")
    return not np.array_equal(frames, faulty_frames)


def _moving_policy(world: World) -> Callable[[Array], Array]:
    """Return a policy whose actions always change, so that every fault has an effect."""
    space = world.action_space
    width = int(np.prod(world.action_shape))

    def act(observations: Array) -> Array:
        flat = observations.reshape(len(observations), -1)
        # A channel can be constant; the sum of all of them changes as long as anything moves.
        phase = 20.0 * flat.sum(axis=1, dtype=np.float64)
        swing = np.stack([np.sin(phase + 3.0 * flat[:, k % flat.shape[1]] + k + 0.5) for k in range(width)], axis=1)
        if isinstance(space, Discrete):
            # A constant action ends many tasks early, so the action depends on the last digits of the observation.
            discrete: Array = space.start + np.floor(1000.0 * np.abs(swing[:, 0])).astype(np.int64) % space.n
            return discrete
        actions: Array = 0.5 * np.minimum(np.abs(space.high), 1.0) * swing.reshape(len(observations), *space.shape)
        return actions

    return act


def _steady(world: World, value: float) -> Array:
    """Return a constant action for a world of one row; the first one of discrete actions."""
    space = world.action_space
    return np.array([space.start]) if isinstance(space, Discrete) else np.full((1, *space.shape), value)


def _saturated(world: str, actions: Array) -> Array:
    sample = build_world(world, 1)
    limited = sample.executed(actions.astype(np.float64))
    sample.close()
    return limited


def _first_difference(first: Episode, second: Episode) -> int | None:
    """Return the first transition in which anything recorded differs."""
    length = min(len(first), len(second))
    names = [name for name in first.arrays() if name not in ("terminated", "applied")]
    for t in range(length):
        for name in names:
            index = t + 1 if len(first.arrays()[name]) == len(first) + 1 else t
            if first.arrays()[name][index].tobytes() != second.arrays()[name][index].tobytes():
                return t
    return None if len(first) == len(second) else length


def _require_same(before: dict[str, Any], after: dict[str, Any], when: str) -> None:
    for name, value in before.items():
        require(np.array_equal(value, after[name]), f"{name} is {after[name]} {when}, was {value}")
