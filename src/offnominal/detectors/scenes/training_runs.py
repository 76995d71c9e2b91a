"""Training of the scene networks on a recorded set of driving scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from offnominal.core.checks import number_in, one_of, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import sha256_of
from offnominal.core.job_processes import current_job, processes_for
from offnominal.core.rounding import fixed
from offnominal.datasets.scenes import DrivingScene, open_scenes
from offnominal.datasets.scenes.index import SCENES
from offnominal.detectors.files import DetectorCard, read_detector_card
from offnominal.detectors.scenes.catalogue import make_scene_detector, save_scene_detector
from offnominal.detectors.scenes.network_record import TrainingRecord, record_path, write_record
from offnominal.detectors.scenes.scene_network import SceneNetwork, Validated
from offnominal.worlds.road.scenes import DrivingFrame

NETWORKS = ("MaxSoftmax", "RbA", "REAL")
"""Ids of the scene detectors with a network of their own; ``MaxLogit`` and ``Entropy`` share that of ``MaxSoftmax``."""
SHARES = {"MaxSoftmax": 1.0, "RbA": 2.0, "REAL": 1.5}
"""Relative durations of the trainings; those with synthesised outliers need more updates."""


def train_scene_networks(
    scenes: Path | str | Sequence[Path | str],
    out: Path | str,
    *,
    minutes: float | None = 30.0,
    detectors: Sequence[str] = NETWORKS,
    seed: int = 0,
    device: str = "auto",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    workers: int = 1,
    report: Callable[[str], None] | None = None,
) -> dict[str, DetectorCard]:
    """Train scene networks on the normal scenes of a recorded set, and save each in a folder.

    Scenes with an anomaly are left out. Interrupted runs resume: call the function again; a detector whose files exist
    is not trained again. During a training the best weights so far are in ``<id>.unfinished``, which
    :func:`~offnominal.detectors.scenes.load_scene_detector` loads as well.

    Args:
        scenes: Folder of a set of driving scenes in the compact layout, or several folders.
        out: Folder of the results: ``<id>.safetensors``, ``<id>.json`` and ``<id>.training.json`` each.
        minutes: Minutes of training of all detectors together; reading the scenes takes additional time. None for the
            number of updates of each detector, without a limit.
        detectors: Ids of scene detectors, some of :data:`NETWORKS`.
        seed: Seed of all trainings.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        parameters: Further parameters, by the id of the detector.
        workers: Number of processes that read scenes.
        report: Called with a line of text after each validation, such as ``print``.

    Returns:
        The cards of all detectors, by id.

    Raises:
        InvalidParameter: The set has no normal scenes.
    """
    for id in detectors:
        one_of("an entry of detectors", id, NETWORKS)
    if minutes is not None:
        number_in("minutes", minutes, 0.0, open_low=True)
    positive_integer("workers", workers)
    folders = [Path(each) for each in ([scenes] if isinstance(scenes, str | Path) else scenes)]
    normal = normal_scenes(folders)
    total = sum(SHARES[id] for id in detectors)
    cards = {}
    for id in detectors:
        path = Path(out) / id
        if not record_path(path).is_file():
            limit = None if minutes is None else minutes * SHARES[id] / total
            given = {"device": device, "max_minutes": limit, **(parameters or {}).get(id, {})}
            run = _Run(path, report)
            detector = run.train(make_scene_detector(id, **given), normal, workers=workers, seed=seed)
            card = save_scene_detector(path, detector)
            write_record(path, run.record(card, detector, normal, folders, seed))
        cards[id] = read_detector_card(path.with_name(f"{id}.json"))
    return cards


class _Run:
    """One training: reports each validation, and saves the best weights so far.

    Args:
        path: Path of the results, without extension.
        report: Called with a line of text.
    """

    def __init__(self, path: Path, report: Callable[[str], None] | None) -> None:
        self.path, self.report = path, report
        self.unfinished = path.with_name(f"{path.name}.unfinished")
        self.seconds, self.n_updates, self.loss = 0.0, 0, float("inf")

    def train(self, detector: Any, normal: Sequence[DrivingScene], *, workers: int, seed: int) -> SceneNetwork[Any]:
        """Fit a detector."""
        assert isinstance(detector, SceneNetwork)
        with ExitStack() as stack:
            read = stack.enter_context(ReadAhead(normal, workers)) if workers > 1 else normal
            detector.fit_reported(read, self.validated, seed=seed)
        for suffix in (".safetensors", ".json"):
            self.unfinished.with_name(self.unfinished.name + suffix).unlink(missing_ok=True)
        return detector

    def validated(self, state: Validated) -> None:
        """Report a validation, and save the weights if they are the best so far."""
        self.seconds, self.n_updates, self.loss = state.seconds, state.n_updates, min(self.loss, state.loss)
        if state.best and state.n_updates:
            save_scene_detector(self.unfinished, state.detector)
        if self.report is not None:
            line = f"{self.path.name}: {state.n_updates} updates in {state.seconds:.0f} s, loss {fixed(state.loss, 4)}"
            self.report(line + (", the best so far" if state.best else ""))

    def record(
        self,
        card: DetectorCard,
        detector: SceneNetwork[Any],
        normal: Sequence[DrivingScene],
        folders: Sequence[Path],
        seed: int,
    ) -> TrainingRecord:
        """Return the description of the training."""
        import torch

        device = detector.device_
        return TrainingRecord(
            detector=card.detector,
            sha256=card.sha256,
            scenes=len(normal),
            frames=detector.n_frames_,
            scenes_sha256=tuple(sha256_of(folder / SCENES) for folder in folders),
            towns=tuple(sorted({scene.town for scene in normal})),
            weathers=tuple(sorted({scene.weather for scene in normal})),
            seed=seed,
            device=torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU",
            torch=torch.__version__,
            minutes=round(self.seconds / 60.0, 2),
            updates=self.n_updates,
            validation_loss=self.loss,
        )


def normal_scenes(folders: Sequence[Path]) -> list[DrivingScene]:
    """Return the scenes of recorded sets without an anomaly: normal scenarios and nominal twins."""
    scenes = [scene for folder in folders for scene in open_scenes(folder)]
    found = [scene for scene in scenes if scene.kind == "normal"]
    if not found:
        names = ", ".join(map(str, folders))
        raise InvalidParameter(f"{names} has no normal scenes; record those of `offnominal scenarios make --normal`.")
    return found


class ReadAhead(Sequence[Any]):
    """A list of scenes; while one is used, processes read the next ones.

    Args:
        scenes: Recorded scenes.
        workers: Number of processes; two scenes for each are in memory.
    """

    def __init__(self, scenes: Sequence[DrivingScene], workers: int) -> None:
        self._n, self._ahead = len(scenes), 2 * workers
        self._pool = processes_for(list(scenes), workers, needs="scenes")
        self._read: dict[int, Future[list[DrivingFrame]]] = {}

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self._n:
            raise IndexError(number)
        return _Frames(self, number)

    def frames(self, number: int) -> list[DrivingFrame]:
        """Return the frames of a scene, and begin to read the next ones."""
        for each in range(number, min(number + self._ahead, self._n)):
            if each not in self._read:
                self._read[each] = self._pool.submit(_frames, each)
        return self._read.pop(number).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


class _Frames:
    """A scene that is read when its frames are used."""

    def __init__(self, scenes: ReadAhead, number: int) -> None:
        self._scenes, self._number = scenes, number

    def __iter__(self) -> Iterator[DrivingFrame]:
        return iter(self._scenes.frames(self._number))


def _frames(number: int) -> list[DrivingFrame]:
    return list(current_job()[number])
