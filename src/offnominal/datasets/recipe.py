"""Recipes: the complete description of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypedDict, Unpack

from offnominal.anomalies.chosen_strengths import choose_strengths
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.matched_strengths import DETECTABILITY, matched_strengths_of
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import LEVELS, strengths_of
from offnominal.core.checks import boolean, instances_of, positive_integer
from offnominal.core.config import Config
from offnominal.core.episode import FRAMES
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.printable import shown
from offnominal.core.streams import check_seed, row_seeds
from offnominal.core.types import IntArray
from offnominal.datasets.plan import Plan
from offnominal.datasets.policy_source import PolicySource, resolve_policy
from offnominal.datasets.recording_changes import RecordingChange, build_changes, with_changes_in_one_field
from offnominal.datasets.split_metadata import FORMAT
from offnominal.rollouts.frame_recorder import check_camera
from offnominal.rollouts.recorders import OUTCOMES
from offnominal.worlds.pixel_observations import CameraKind
from offnominal.worlds.world_source import WorldSource, open_world

SEED = 10_000_000
SPACING = 1_000_000
CAMERA = "camera"
EXTRAS = ("clean_observations", "executed_actions", "applied")

Strengths = Mapping[tuple[str, str], float]
"""Parameters by (anomaly, level)."""


@dataclass(frozen=True)
class FaultCell(Config):
    """An anomaly at a named strength.

    Args:
        anomaly: Id of the anomaly.
        level: Name of the strength.
        parameter: Fault parameter at this strength.
        schedule: When the fault is active; the schedule of the recipe if None.
        channels: Indices or names of the affected channels; all if None.
        also: Further faults of the same episodes; their levels are ignored.

    Example:
        >>> FaultCell("action/noise", "tiny", 0.1).name
        'action/noise@tiny'
    """

    anomaly: str
    level: str
    parameter: float
    schedule: Schedule | None = None
    channels: tuple[int | str, ...] | None = None
    also: tuple[FaultCell, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, without schedule and channels if they are None, and without further faults if none."""
        return without(super().to_dict(), schedule=None, channels=None, also=[])

    def fault(self, schedule: Schedule) -> Fault:
        """Return the fault, with a schedule for cells that have none."""
        return Fault(self.anomaly, self.parameter, self.schedule or schedule, self.channels)

    def faults(self, schedule: Schedule) -> tuple[Fault, ...]:
        """Return all faults of an episode, with a schedule for cells that have none."""
        return (self.fault(schedule), *(fault for cell in self.also for fault in cell.faults(schedule)))

    def each(self) -> Iterator[FaultCell]:
        """Yield the cell, and those of its further faults."""
        yield self
        for cell in self.also:
            yield from cell.each()

    @property
    def name(self) -> str:
        """Name of the split with this fault."""
        return f"{self.anomaly}@{self.level}"


# It is used in papers. It is here because the hashes of stored results cover the words of its description.
PUBLISHED_VIEWS = ("MJC-HalfCheetah-v0",)
"""Worlds that can be shown with the published camera and floor."""


class RecipeFields(TypedDict, total=False):
    """Fields of a :class:`Recipe` that :meth:`Recipe.for_world` passes on."""

    episodes: int
    validation: int | None
    seed: int
    schedule: Schedule
    twins: bool
    extras: tuple[str, ...]
    frames: bool
    camera: CameraKind
    max_steps: int | None
    changes: dict[str, tuple[str, ...] | bool]


@dataclass(frozen=True)
class Recipe(Config):
    """Complete description of a dataset. Equal recipes give equal bytes on the same platform and versions.

    :meth:`for_world` fills in policy and cells.

    Args:
        world: Id of the world.
        policy: Name of the policy: the id of a shipped one, or a name of your own.
        policy_sha256: SHA-256 of the policy's weights; empty if it has none.
        episodes: Number of episodes of the test split and of each fault.
        nominal: Number of episodes of the training split.
        validation: Number of episodes of the validation split; if None, a tenth of `nominal`, rounded up.
        seed: Seed of the first training episode; the other splits start one million seeds apart.
        cells: Anomalies and their strengths; each is a split.
        schedule: When the faults are active.
        twins: Whether to record the nominal episodes of the faults' seeds too, as split ``"twins"``.
        extras: Additional signals: ``"clean_observations"``, ``"executed_actions"``, ``"applied"``.
        frames: Whether to record camera frames: 128 x 128 RGB for every observation, without loss.
        camera: What the camera shows while an observation is faulty: the true state (``"clean"``) or the state that
            the faulty sensors report (``"affected"``).
        max_steps: Time limit; the world's own if None.
        changes: Changes of what is recorded, by their ids: ids of anomalies whose episodes are changed, or True for all
            episodes. ``{"leaking": ("dynamics/force",)}`` is an error of the public code of Anomaly-Gym; see
            :class:`~offnominal.datasets.recording_changes.RecordingChange`.
        format: Version of the file format.

    Example:
        >>> recipe = Recipe("SAP-Goal0-v0", "tqc-0", episodes=20, cells=(FaultCell("action/noise", "tiny", 0.1),))
        >>> for plan in recipe.plans():
        ...     print(plan.name, len(plan.seeds), plan.seeds[0])
        train 100 10000000
        validation 10 11000000
        test 20 12000000
        action/noise@tiny 20 13000000
    """

    world: str
    policy: str
    policy_sha256: str = ""
    episodes: int = 100
    nominal: int = 100
    validation: int | None = None
    seed: int = SEED
    cells: tuple[FaultCell, ...] = ()
    schedule: Schedule = Schedule()
    twins: bool = False
    extras: tuple[str, ...] = ()
    frames: bool = False
    camera: CameraKind = "clean"
    max_steps: int | None = None
    changes: dict[str, tuple[str, ...] | bool] = field(default_factory=dict)
    format: int = FORMAT

    def __post_init__(self) -> None:
        validation = 1 if self.validation is None else self.validation
        if self.max_steps is not None:
            positive_integer("max_steps", self.max_steps)
        sizes = {"episodes": self.episodes, "nominal": self.nominal, "validation": validation}
        for name, size in sizes.items():
            if isinstance(size, int) and size > SPACING:
                raise InvalidParameter(f"{name} is {shown(size)}; at most {SPACING:,}, or seeds would be used twice.")
            positive_integer(name, size)
        row_seeds(check_seed(self.seed) + 3 * SPACING, self.episodes)
        for name in ("twins", "frames"):
            boolean(name, getattr(self, name))
        for name in self.extras:
            if name not in EXTRAS:
                raise UnknownName(f"no extra {name!r}.{did_you_mean(name, EXTRAS)} Choose from {', '.join(EXTRAS)}.")
        object.__setattr__(self, "extras", tuple(sorted(set(self.extras), key=EXTRAS.index)))
        check_camera(self.camera, frames=self.frames)
        object.__setattr__(self, "changes", {id: given for id, given in self.changes.items() if given})
        for change in self.recording_changes():
            change.check(self)
        for cell in [each for given in self.cells for each in given.each()]:
            if cell.anomaly.startswith(f"{CAMERA}/") and not self.frames:
                raise InvalidParameter(f"{cell.anomaly} changes only frames; record them with frames=True.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with a field for each change.

        Fields that were added later are left out at their default: old hashes stay valid.
        """
        data = without(super().to_dict(), max_steps=None)
        data |= data.pop("changes")
        return data if self.frames else without(data, frames=False, camera="clean")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the recipe of plain data."""
        return super().from_dict(with_changes_in_one_field(data, cls.__dataclass_fields__))

    @classmethod
    def for_world(
        cls,
        world: WorldSource,
        *,
        policy: PolicySource = None,
        policy_name: str | None = None,
        algorithm: str | None = None,
        nominal: int | None = None,
        anomalies: Iterable[str] | None = None,
        levels: Iterable[str] | None = None,
        strengths: Strengths | None = None,
        **fields: Unpack[RecipeFields],
    ) -> Recipe:
        """Return the recipe of a world with its shipped policy and all its faults, or with some of them.

        Args:
            world: Id of the world or of a Gymnasium environment, or an environment of your own as for
                :func:`~offnominal.rollouts.collect`; pass that to :func:`generate` too, as `env`.
            policy: Policy to record; the shipped expert if None. Pass it to :func:`generate` too.
            policy_name: Name of the policy in the recipe; required for a policy without weights.
            algorithm: Id of a shipped policy; the expert of the world if None.
            nominal: Number of episodes of the training split; as `episodes` if None.
            anomalies: Ids of the anomalies; all with a known strength if None.
            levels: Names of the strengths; all if None.
            strengths: Fault parameters by (anomaly, level); those of the shipped table if None.
            **fields: Other fields of the recipe.

        Example:
            >>> recipe = Recipe.for_world("SAP-Goal0-v0", anomalies=["action/noise"], levels=["tiny"], episodes=20)
            >>> recipe.policy, recipe.nominal, [cell.name for cell in recipe.cells]
            ('tqc-2', 20, ['action/noise@tiny'])
        """
        with open_world(world, 1) as sample:
            id = sample.card.id
        resolved = resolve_policy(id, policy, algorithm=algorithm, name=policy_name)
        if anomalies is not None:
            anomalies = list(instances_of("anomalies", anomalies, str))
        if levels is not None:
            levels = list(instances_of("levels", levels, str))
        cells = cells_of(id, strengths=strengths, anomalies=anomalies, levels=levels)
        size = fields.get("episodes", cls.episodes) if nominal is None else nominal
        return cls(id, resolved.name, resolved.sha256, nominal=size, cells=cells, **fields)

    @property
    def folder_name(self) -> str:
        """Name of the dataset's folder in the data home."""
        return f"{self.world.replace('/', '-')}-{self.digest()[:8]}"

    @property
    def n_validation(self) -> int:
        """Number of episodes of the validation split."""
        return -(-self.nominal // 10) if self.validation is None else self.validation

    @property
    def signals(self) -> tuple[str, ...]:
        """Signals that are recorded besides observations, actions, rewards and labels."""
        return (*OUTCOMES, *self.extras, *([FRAMES] if self.frames else []))

    def seeds(self) -> dict[str, IntArray]:
        """Return the seeds of each split, in order; all faults and the twins share their seeds."""
        train, validation, test, faulty = (self.seed + index * SPACING for index in range(4))
        nominal = {
            "train": row_seeds(train, self.nominal),
            "validation": row_seeds(validation, self.n_validation),
            "test": row_seeds(test, self.episodes),
        }
        names = ["twins"] * self.twins + [cell.name for cell in self.cells]
        return nominal | dict.fromkeys(names, row_seeds(faulty, self.episodes))

    def plans(self) -> list[Plan]:
        """Return the simulations, split by split."""
        faults = {cell.name: cell.faults(self.schedule) for cell in self.cells}
        return [Plan(name, seeds, faults.get(name, ())) for name, seeds in self.seeds().items()]

    def recording_changes(self) -> tuple[RecordingChange, ...]:
        """Return the changes of what is recorded."""
        return tuple(build_changes(self.changes))


def without(data: dict[str, Any], **left_out: Any) -> dict[str, Any]:
    """Return plain data without the fields that have the given values.

    Example:
        >>> without({"size": 3, "frames": None}, frames=None)
        {'size': 3}
    """
    return {name: value for name, value in data.items() if name not in left_out or value != left_out[name]}


def cells_of(
    world: str,
    *,
    strengths: Strengths | None = None,
    anomalies: Iterable[str] | None = None,
    levels: Iterable[str] | None = None,
) -> tuple[FaultCell, ...]:
    """Return the anomalies and strengths of a world, or some of them.

    Args:
        world: Id of the world.
        strengths: Fault parameters by (anomaly, level); those of the shipped table if None.
        anomalies: Ids of the anomalies; all if None.
        levels: Names of the strengths; all if None.
    """
    if isinstance(levels, str):
        levels = [levels]
    levels = None if levels is None else list(levels)
    table = strengths_of(world) if strengths is None else strengths
    if strengths is None and levels is not None and any(level in DETECTABILITY for level in levels):
        table = {**table, **matched_strengths_of(world)}
    chosen = choose_strengths(table, anomalies, levels, where=world)
    cells = [FaultCell(*key, float(value)) for key, value in chosen.items()]
    return tuple(sorted(cells, key=lambda cell: (cell.anomaly, rank(cell.level))))


def rank(level: str) -> tuple[int, str]:
    """Return the sort key of a level: the standard ones between easy and hard, then other names."""
    known = ["easy", *LEVELS, "hard"]
    return (known.index(level) if level in known else len(known)), level
