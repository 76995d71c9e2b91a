"""`offnominal doctor`."""

from __future__ import annotations

import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version

import typer

from offnominal.cli.app import CHECK, App
from offnominal.cli.output import AsJson, print_rows

health = App(CHECK)

NEEDED = ("gymnasium", "mujoco", "numba", "numpy", "pyarrow", "scikit-learn", "scipy")
OPTIONAL = {
    "torch": "train",
    "stable-baselines3": "train",
    "sb3-contrib": "train",
    "matplotlib": "plot",
    "duckdb": "results",
    "pandas": "pandas",
    "minari": "minari",
    "ale-py": "atari",
    "ray": "ray",
    "imageio-ffmpeg": "video",
}
GIGABYTE = 2**30


@health.command()
def doctor(as_json: AsJson = False) -> None:
    """Show installed packages, the GPU and data folders.

    Exits with 1 if a package is missing.

    Example: [bold]offnominal doctor[/]
    """
    rows = diagnose()
    print_rows("Offnominal on this machine", rows, as_json)
    if any(row["state"] == "missing" for row in rows):
        raise typer.Exit(1)


def diagnose() -> list[dict[str, str]]:
    """Return a row per part with its state: found, absent (optional, in an extra) or missing (required)."""
    from offnominal._version import __version__
    from offnominal.studies.local import processors

    return [
        _row("offnominal", __version__),
        _row("python", platform.python_version(), sys.executable),
        _row("machine", f"{platform.system()} {platform.machine()}", f"{processors()} processors"),
        _gpu(),
        *(_package(name, None) for name in NEEDED),
        *(_package(name, extra) for name, extra in OPTIONAL.items()),
        _data_home(),
        _compiled_code(),
    ]


def _row(name: str, found: str, remark: str = "", state: str = "found") -> dict[str, str]:
    return {"part": name, "state": state, "found": found, "remark": remark}


def _package(name: str, extra: str | None) -> dict[str, str]:
    try:
        return _row(name, version(name))
    except PackageNotFoundError:
        if extra is None:
            return _row(name, "", "reinstall: pip install offnominal", "missing")
        return _row(name, "", f'pip install "offnominal[{extra}]"', "absent")


def _gpu() -> dict[str, str]:
    try:
        import torch
    except ModuleNotFoundError:
        return _row("GPU", "", "torch is not installed", "absent")
    if not torch.cuda.is_available():
        return _row("GPU", "", "torch finds none; all computations run on the CPU", "absent")
    return _row("GPU", torch.cuda.get_device_name(0))


def _data_home() -> dict[str, str]:
    """Return the folder of datasets, their number and the free space."""
    from offnominal.core.directories import DATA_VARIABLE, find_data_home
    from offnominal.datasets.manifest import MANIFEST

    home = find_data_home()
    if home is None:
        return _row("data home", "", f"this user has no home directory; set {DATA_VARIABLE}", "absent")
    try:
        if not home.exists():
            return _row("data home", str(home), "empty")
        datasets = sum((each / MANIFEST).exists() for each in home.iterdir())
        free = shutil.disk_usage(home).free / GIGABYTE
    except OSError as error:
        return _row("data home", str(home), f"cannot be read ({error.strerror}); set {DATA_VARIABLE}", "absent")
    return _row("data home", str(home), f"{datasets} datasets, {free:.0f} GB free")


def _compiled_code() -> dict[str, str]:
    """Return the cache folder of compiled code."""
    from numba import config

    from offnominal.core.compilation import cache_folder
    from offnominal.core.dense_product import dense

    if getattr(config, "DISABLE_JIT", 0):
        remark = "NUMBA_DISABLE_JIT is set: nothing is compiled, and simulations are many times slower; unset it"
        return _row("compiled code", "", remark, "absent")
    folder = cache_folder(dense)
    if folder is None:
        remark = "no writable cache folder: code is compiled again in every process; set NUMBA_CACHE_DIR"
        return _row("compiled code", "", remark, "absent")
    return _row("compiled code", folder)
