"""`offnominal verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from offnominal.cli.app import CHECK, App
from offnominal.cli.options import AllowModule, MovedStore, number_option
from offnominal.cli.output import AsJson, out, print_json
from offnominal.cli.targets import allowed_modules

verification = App(CHECK)


@verification.command()
def verify(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Folder of a dataset, of driving scenes, of a NovelCraft set or of a run; or an ONNX file."
        ),
    ],
    share: Annotated[float, number_option("Fraction of the cells of a run that are computed again.")] = 0.05,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only compare the files of a run with their hashes; compute nothing.")
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
    """Verify a dataset, driving scenes, a run or an ONNX file.

    Files are compared with the hashes in their manifest. Some cells of a run are computed again and compared. Episodes
    are replayed through an ONNX file, and the scores compared with those at its export.
    Exits with 1 if anything differs from the manifest, the result store or these scores.

    Example: [bold]offnominal verify data/SAP-Goal0-v0[/]
    """
    if folder.suffix == ".onnx":
        _verify_onnx(folder, log, detector, as_json)
        return

    if (folder / "run.json").exists():
        from offnominal.studies.verify import verify_run

        cells = verify_run(folder, share, quick=quick, store=store, allow_modules=allowed_modules(allow_module))
        count = sum(not problem for _, problem in cells)
        success = f"{folder} is reproduced: {count} cells gave the same numbers."
        if quick:
            success = f"{folder} is intact: the hashes of {count} cells match."
        _show_problems(cells, "cell", success, as_json)
        return

    if (folder / "scenes.json").exists():
        from offnominal.datasets.scenes import verify_scenes

        scenes = list(verify_scenes(folder).items())
        _show_problems(scenes, "scene", f"{folder} is intact: {len(scenes)} scenes match the manifest.", as_json)
        return

    if (folder / "novelcraft.json").exists():
        from offnominal.datasets.novelcraft import verify_novelcraft

        episodes = list(verify_novelcraft(folder).items())
        message = f"{folder} is intact: {len(episodes)} episodes match the manifest."
        _show_problems(episodes, "episode", message, as_json)
        return

    from offnominal.datasets import verify_dataset

    splits = list(verify_dataset(folder).items())
    _show_problems(splits, "split", f"{folder} is intact: {len(splits)} splits match the manifest.", as_json)


def _verify_onnx(model: Path, log: Path | None, detector: Path | None, as_json: bool) -> None:
    """Replay a log through an ONNX file, and show the episodes with other scores."""
    from offnominal.cli.onnx_export import logged_episodes
    from offnominal.core.errors import InvalidParameter, MissingFile

    if log is None:
        raise InvalidParameter(f"{model} is verified by replaying a log; give --episodes LOG.")
    if not model.is_file():
        raise MissingFile(f"{model} does not exist; give the path of an ONNX file.")
    from offnominal.detectors import load_detector
    from offnominal.detectors.export.reference import verify_model

    found = verify_model(model, logged_episodes(log), None if detector is None else load_detector(detector))
    success = f"{model} gives the scores of its detector in {len(found)} episodes."
    _show_problems(list(found.items()), "episode", success, as_json)


def _show_problems(problems: list[tuple[str, str]], unit: str, success: str, as_json: bool) -> None:
    """Print the problems, or the message of success; exit with 1 if there are problems."""
    wrong = [(name, problem) for name, problem in problems if problem]
    if as_json:
        print_json([{unit: name, "problem": problem} for name, problem in problems])
    elif wrong:
        for name, problem in wrong:
            out.print(f"[red]{escape(name)}[/]  {escape(problem)}", highlight=False, soft_wrap=True)
    else:
        out.print(f"[green]{escape(success)}[/]", highlight=False, soft_wrap=True)
    if wrong:
        raise typer.Exit(1)
