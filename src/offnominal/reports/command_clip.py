"""Clips of commands: an episode of a craft world that is played by lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.reports.clip_files import check_clip_path, write_frames
from offnominal.reports.clip_layout import ClipSide, compose
from offnominal.worlds.craft import NOVELTIES, Result, new_game, run_command, set_novelty
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.rules import RULES, Version

PACE = 4
PREFIX = "CRAFT-Pogo-"


def read_commands(text: str) -> list[str]:
    r"""Return the commands of a text, one per line. Empty lines and lines that begin with ``#`` do not count.

    Example:
        >>> read_commands("# look around\nTURN 90\n\nMOVE w\n")
        ['TURN 90', 'MOVE w']
    """
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def write_command_clip(
    path: Path,
    world: str,
    commands: Sequence[str],
    *,
    novelty: str = "",
    level: int = 1,
    onset: int = 0,
    seed: int = 0,
) -> list[Result]:
    """Carry out commands, record the player's view before and after each of them, and return their results.

    Commands after the end of the episode are not carried out. Border and label are red while a novelty is active.

    Args:
        path: Ends in ``.webp``, ``.gif`` or ``.mp4``.
        world: ``"CRAFT-Pogo-v1"`` or ``"CRAFT-Pogo-v2"``.
        commands: Commands, such as ``"MOVE w"``.
        novelty: Name of a novelty; empty for none.
        level: Its level.
        onset: Number of commands before it begins.
        seed: Random seed of the episode.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> folder = TemporaryDirectory()
        >>> results = write_command_clip(Path(folder.name) / "clip.gif", "CRAFT-Pogo-v1", ["MOVE w", "FLY"])
        >>> [(result.success, result.message) for result in results]
        [(True, ''), (False, 'unknown command')]
    """
    check_clip_path(path)
    version = _version(world)
    if novelty and (novelty not in NOVELTIES or version not in NOVELTIES[novelty].versions):
        raise InvalidParameter(f"{world} has no novelty {novelty!r}; expected one of its physics parameters.")
    state = new_game(version, seed=seed)
    images, active, results = [first_person(state).rgb], [], []
    for number, command in enumerate(commands):
        if state.over:
            break
        if novelty and number == onset:
            set_novelty(state, novelty, level)
        results.append(run_command(state, command))
        images.append(first_person(state).rgb)
        active.append(bool(state.levels))
    title = f"{novelty} {level}" if novelty else ""
    write_frames(path, compose([ClipSide(title, np.stack(images), np.array(active, np.bool_))]), PACE)
    return results


def _version(world: str) -> Version:
    for version in RULES:
        if world == f"{PREFIX}{version}":
            return version
    raise InvalidParameter(f"{world} has no command interface; expected {PREFIX}v1 or {PREFIX}v2.")
