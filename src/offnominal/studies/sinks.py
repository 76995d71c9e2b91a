"""Sinks: other programs that log a run, such as TensorBoard, MLflow and Weights & Biases."""

from __future__ import annotations

import importlib
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from offnominal.core.errors import InvalidState, MissingDependency, UnknownName, did_you_mean
from offnominal.studies.base import BaseCell

Numbers = Mapping[str, float]


class Sink(Protocol):
    """Receives the events of a run.

    Example:
        >>> class Counting:
        ...     done = 0
        ...
        ...     def started(self, about, cells):
        ...         pass
        ...
        ...     def cell(self, cell, numbers, error):
        ...         self.done += not error
        ...
        ...     def finished(self, found):
        ...         print(self.done, "done")
        >>> sink: Sink = Counting()
    """

    def started(self, about: Mapping[str, Any], cells: Sequence[BaseCell]) -> None:
        """Called at the start with the first entries of the manifest and all cells."""

    def cell(self, cell: BaseCell, numbers: Numbers, error: str) -> None:
        """Called for each computed cell with means over splits and cost, or with an error and no numbers."""

    def finished(self, found: Mapping[str, Any]) -> None:
        """Called at the end, or on interruption, with counts and cost."""


class Sinks:
    """Several sinks as one. A sink that fails is removed with a warning; the run continues.

    Args:
        sinks: The sinks.
    """

    def __init__(self, sinks: Sequence[Sink]) -> None:
        self.listening = list(sinks)

    def started(self, about: Mapping[str, Any], cells: Sequence[BaseCell]) -> None:
        """Pass on the start."""
        self._tell("started", about, cells)

    def cell(self, cell: BaseCell, numbers: Numbers, error: str) -> None:
        """Pass on a cell."""
        self._tell("cell", cell, numbers, error)

    def finished(self, found: Mapping[str, Any]) -> None:
        """Pass on the end."""
        self._tell("finished", found)

    def _tell(self, what: str, *facts: Any) -> None:
        for sink in list(self.listening):
            try:
                getattr(sink, what)(*facts)
            except Exception as error:
                self.listening.remove(sink)
                warnings.warn(
                    f"{type(sink).__name__} is removed from this run: {type(error).__name__}: {error}",
                    stacklevel=2,
                )


class TensorBoard:
    """Curves for TensorBoard: one per number and detector, with the seed as its step.

    Args:
        folder: Where the event files go.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self._writer = _need("TensorBoard", "tensorboard", "torch.utils.tensorboard").SummaryWriter
        self._open: Any = None

    def started(self, about: Mapping[str, Any], cells: Sequence[BaseCell]) -> None:
        """Open a file."""
        self._open = self._writer(str(self.folder))
        self._open.add_text("run", f"```json\n{json.dumps(dict(about), indent=2)}\n```")

    def cell(self, cell: BaseCell, numbers: Numbers, error: str) -> None:
        """Write a point of each curve, or the error."""
        for name, value in tagged(cell, numbers).items():
            self._file.add_scalar(name, value, cell.seed)
        if error:
            self._file.add_text(f"failed/{cell.label}", error)
        self._file.flush()

    def finished(self, found: Mapping[str, Any]) -> None:
        """Write counts and costs and close the file."""
        for name, value in found.items():
            self._file.add_scalar(f"run/{name}", float(value))
        self._file.close()

    @property
    def _file(self) -> Any:
        return _begun(self._open, "TensorBoard")


class MLflow:
    """Runs of MLflow: one for the study and, below it, one for each cell.

    Args:
        experiment: Name of the experiment in MLflow.
        uri: Address of the tracking server, or a folder; MLflow's own choice if None.
    """

    def __init__(self, experiment: str = "offnominal", uri: str | None = None) -> None:
        self.experiment = experiment
        self.uri = uri
        self._mlflow = _need("MLflow", "mlflow")

    def started(self, about: Mapping[str, Any], cells: Sequence[BaseCell]) -> None:
        """Begin the run of the study."""
        if self.uri is not None:
            self._mlflow.set_tracking_uri(self.uri)
        self._mlflow.set_experiment(self.experiment)
        self._mlflow.start_run(run_name=_title(about))
        self._mlflow.log_params({name: value for name, value in about.items() if isinstance(value, str | int)})
        self._mlflow.log_param("cells", len(cells))

    def cell(self, cell: BaseCell, numbers: Numbers, error: str) -> None:
        """Keep a run of its own for the cell."""
        self._mlflow.start_run(run_name=cell.label, nested=True)
        names = ("world", "policy", "name", "detector", "seed", "parameters")
        self._mlflow.log_params({name: getattr(cell, name) for name in names})
        self._mlflow.log_metrics(dict(numbers))
        if error:
            self._mlflow.set_tag("error", error)
        self._mlflow.end_run("FAILED" if error else "FINISHED")

    def finished(self, found: Mapping[str, Any]) -> None:
        """Keep counts and costs and end the run."""
        self._mlflow.log_metrics({name: float(value) for name, value in found.items()})
        self._mlflow.end_run("KILLED" if found.get("interrupted") else "FINISHED")


class WeightsAndBiases:
    """A run of Weights & Biases: each cell is a step.

    Args:
        project: Where the run is filed.
        **options: Those of `wandb.init`, such as ``mode="offline"``.
    """

    def __init__(self, project: str = "offnominal", **options: Any) -> None:
        self.project = project
        self.options = options
        self._wandb = _need("Weights & Biases", "wandb")
        self._run: Any = None

    def started(self, about: Mapping[str, Any], cells: Sequence[BaseCell]) -> None:
        """Begin the run."""
        self._run = self._wandb.init(
            project=self.project, name=_title(about), config={**about, "cells": len(cells)}, **self.options
        )

    def cell(self, cell: BaseCell, numbers: Numbers, error: str) -> None:
        """Log the numbers of a cell, or its error."""
        _begun(self._run, "Weights & Biases").log(
            {**tagged(cell, numbers), "label": cell.label, "seed": cell.seed, "error": error}
        )

    def finished(self, found: Mapping[str, Any]) -> None:
        """Keep counts and costs and end the run."""
        _begun(self._run, "Weights & Biases").summary.update(dict(found))
        self._run.finish()


def sink_named(name: str) -> Sink:
    """Return a sink by name: ``tensorboard`` (files below ``runs``), ``mlflow`` or ``wandb``.

    Example:
        >>> sink_named("tensorbord")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no sink 'tensorbord'. Did you mean 'tensorboard'? Choose from ...
    """
    makers: dict[str, Callable[[], Sink]] = {
        "tensorboard": lambda: TensorBoard("runs/tensorboard"),
        "mlflow": MLflow,
        "wandb": WeightsAndBiases,
    }
    if name not in makers:
        raise UnknownName(f"no sink {name!r}.{did_you_mean(name, makers)} Choose from {', '.join(makers)}.")
    return makers[name]()


def tagged(cell: BaseCell, numbers: Numbers) -> dict[str, float]:
    """Return numbers under names that tell cells apart, but for their seeds.

    Example:
        >>> from offnominal.kinds import Cell
        >>> tagged(Cell("SAP-Goal0-v0", "95 %", "KNN"), {"auroc": 0.5})
        {'auroc/SAP-Goal0-v0/expert/95 _': 0.5}
    """
    place = re.sub(r"[^\w\-. /]", "_", cell.label.removesuffix(f"/{cell.seed}"))
    return {f"{name}/{place}": value for name, value in numbers.items()}


def _title(about: Mapping[str, Any]) -> str:
    return "-".join(str(about[name]) for name in ("study", "scale") if about.get(name)) or "study"


def _begun(service: Any, name: str) -> Any:
    if service is None:
        raise InvalidState(f"the sink of {name} has no run; call `started` first.")
    return service


def _need(name: str, package: str, module: str | None = None) -> Any:
    try:
        return importlib.import_module(module or package)
    except ModuleNotFoundError:
        hint = f'install it with `pip install "offnominal[{package}]"`.'
        raise MissingDependency(f"the sink of {name} needs {package}; {hint}") from None
