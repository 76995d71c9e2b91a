"""`offnominal verify`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.markup import escape

from offnominal.cli.app import CHECK, App
from offnominal.cli.options import AllowModule, MovedStore, number_option
from offnominal.cli.output import AsJson, out, print_json
from offnominal.cli.targets import allowed_modules
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile

verification = App(CHECK)


class Options(NamedTuple):
    """Options of the command."""

    share: float
    quick: bool
    renew: bool
    log: Path | None
    detector: Path | None
    store: Path | None
    allow_modules: tuple[str, ...]


class Verified(NamedTuple):
    """What was compared.

    Args:
        unit: What each problem is about, such as ``"split"``.
        problems: Name and problem of each; the problem is empty if there is none.
        success: Message if there is no problem.
    """

    unit: str
    problems: list[tuple[str, str]]
    success: str


class Kind(NamedTuple):
    """A kind of file or folder: whether a path is one, and how it is verified."""

    recognises: Callable[[Path], bool]
    verify: Callable[[Path, Options], Verified]


@verification.command()
def verify(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="Folder of a dataset, of driving scenes, of a NovelCraft set or of a run, or a deployable folder; or "
            "a file: an alarm, the card of a detector or a policy, a library of faults, a scenario file, a table of "
            "strengths or of results, or an ONNX file.",
        ),
    ],
    share: Annotated[float, number_option("Fraction of the cells of a run that are computed again.")] = 0.05,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only compare the files of a run with their hashes; compute nothing.")
    ] = False,
    renew: Annotated[
        bool, typer.Option("--renew", help="Write a new checksum into a file that was changed deliberately.")
    ] = False,
    log: Annotated[
        Path | None,
        typer.Option("--episodes", metavar="LOG", help="Log that was replayed at the export of the ONNX file."),
    ] = None,
    detector: Annotated[
        Path | None, typer.Option(help="Saved detector to compare an ONNX file with; the log can then be any.")
    ] = None,
    store: MovedStore = None,
    allow_module: AllowModule = None,
    as_json: AsJson = False,
) -> None:
    """Verify a dataset, driving scenes, a run or a file.

    Files are compared with the hashes in their manifest, or with the checksum that they carry. Some cells of a run are
    computed again and compared. Episodes are replayed through an ONNX file or a deployable folder, and the scores
    compared with those at its export. Exits with 1 if anything differs from the manifest, the checksum, the result
    store or these scores.

    Example: [bold]offnominal verify data/SAP-Goal0-v0[/]
    """
    if path.name in MANIFESTS and path.is_file():
        path = path.parent
    if path.suffix == WEIGHTS:
        path = path.with_suffix(".json")
    options = Options(share, quick, renew, log, detector, store, allowed_modules(allow_module))
    kind = next(kind for kind in KINDS if kind.recognises(path))
    if renew and kind.verify is not _verify_file:
        raise InvalidParameter(f"{path} is no file with a checksum of its own; --renew is for such files.")
    _show(kind.verify(path, options), as_json)


def _verify_run(folder: Path, options: Options) -> Verified:
    from offnominal.studies.verify import verify_run

    cells = verify_run(
        folder, options.share, quick=options.quick, store=options.store, allow_modules=options.allow_modules
    )
    count = sum(not problem for _, problem in cells)
    reproduced = f"{folder} is reproduced: {count} cells gave the same numbers."
    intact = f"{folder} is intact: the hashes of {count} cells match."
    return Verified("cell", cells, intact if options.quick else reproduced)


def _verify_scenes(folder: Path, options: Options) -> Verified:
    from offnominal.datasets.scenes import verify_scenes

    scenes = list(verify_scenes(folder).items())
    return Verified("scene", scenes, f"{folder} is intact: {len(scenes)} scenes match the manifest.")


def _verify_novelcraft(folder: Path, options: Options) -> Verified:
    from offnominal.datasets.novelcraft import verify_novelcraft

    episodes = list(verify_novelcraft(folder).items())
    return Verified("episode", episodes, f"{folder} is intact: {len(episodes)} episodes match the manifest.")


def _verify_dataset(folder: Path, options: Options) -> Verified:
    from offnominal.datasets import verify_dataset

    splits = list(verify_dataset(folder).items())
    return Verified("split", splits, f"{folder} is intact: {len(splits)} splits match the manifest.")


def _verify_deployment(folder: Path, options: Options) -> Verified:
    from offnominal.watch.deployment import MODEL
    from offnominal.watch.deployment_check import verify_deployment

    files = list(verify_deployment(folder).items())
    success = f"{folder} is intact: {len(files)} files match the manifest, and the replay gives the same scores."
    if options.log is None or any(problem for _, problem in files):
        return Verified("file", files, success)
    replayed = _verify_onnx(folder / MODEL, options)
    episodes = [(f"episode {number}", problem) for number, problem in replayed.problems]
    return Verified("file", files + episodes, f"{success} {replayed.success}")


def _verify_onnx(model: Path, options: Options) -> Verified:
    """Replay a log through an ONNX file, and return the episodes with other scores."""
    from offnominal.cli.onnx_export import logged_episodes

    if options.log is None:
        raise InvalidParameter(f"{model} is verified by replaying a log; give --episodes LOG.")
    if not model.is_file():
        raise MissingFile(f"{model} does not exist; give the path of an ONNX file.")
    from offnominal.detectors import load_detector
    from offnominal.detectors.export.reference import verify_model

    compared = None if options.detector is None else load_detector(options.detector)
    episodes = list(verify_model(model, logged_episodes(options.log), compared).items())
    success = f"{model} gives the scores of its detector in {len(episodes)} episodes."
    return Verified("episode", episodes, success)


def _verify_file(path: Path, options: Options) -> Verified:
    """Read a small file as its users do; no checksum is a problem, too, because nothing can be compared."""
    import warnings

    from offnominal.cli.small_files import renew, small_file
    from offnominal.core.checksum import NoChecksum

    name, problem = "file", ""
    try:
        kind = small_file(path)
        name = kind.name
        if options.renew:
            renew(path, kind)
        with warnings.catch_warnings():
            warnings.simplefilter("error", NoChecksum)
            kind.load(path)
    except (DamagedFile, NoChecksum) as error:
        problem = str(error)
    return Verified("file", [(str(path), problem)], f"{path} is intact: a valid {name} with its checksum.")


WEIGHTS = ".safetensors"
MANIFESTS = ("manifest.json", "run.json", "scenes.json", "novelcraft.json", "deployment.json")
KINDS = (
    Kind(lambda path: (path / "run.json").exists(), _verify_run),
    Kind(lambda path: (path / "scenes.json").exists(), _verify_scenes),
    Kind(lambda path: (path / "novelcraft.json").exists(), _verify_novelcraft),
    Kind(lambda path: (path / "deployment.json").exists(), _verify_deployment),
    Kind(lambda path: path.suffix == ".onnx", _verify_onnx),
    Kind(Path.is_file, _verify_file),
    Kind(lambda path: True, _verify_dataset),
)
"""Kinds in the order in which they are tried; the last one is a dataset, whose error names what is missing."""


def _show(verified: Verified, as_json: bool) -> None:
    """Print the problems, or the message of success; exit with 1 if there are problems."""
    wrong = [(name, problem) for name, problem in verified.problems if problem]
    if as_json:
        print_json([{verified.unit: name, "problem": problem} for name, problem in verified.problems])
    elif wrong:
        for name, problem in wrong:
            out.print(f"[red]{escape(name)}[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    else:
        out.print(f"[green]{escape(verified.success)}[/]", highlight=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(1)
