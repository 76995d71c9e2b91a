"""Recording of one episode: an agent plays, and every frame is stored with what the player senses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from offnominal.core.config import Config
from offnominal.core.files import sha256_of, write_bytes
from offnominal.datasets.novelcraft.episode_files import ARCHIVE, IMAGE, SENSED, archive_of
from offnominal.datasets.novelcraft.novelcraft_manifest import CraftEntry
from offnominal.datasets.novelcraft.novelcraft_recipe import EpisodePlan
from offnominal.datasets.png import encode_png
from offnominal.datasets.recording_processes import Advance
from offnominal.sensing import VoxelImage
from offnominal.worlds.craft import sense
from offnominal.worlds.craft.agents.agent_mixture import mixture
from offnominal.worlds.craft.agents.played_frames import PlayedFrame, play
from offnominal.worlds.craft.commands import Result
from offnominal.worlds.craft.game import new_game
from offnominal.worlds.craft.level_novelties import insert_item
from offnominal.worlds.craft.novelties import set_novelty
from offnominal.worlds.craft.novelty_truth import novel_fraction
from offnominal.worlds.craft.state import GameState

LEVEL = 2
"""Compression of the images: the smallest files for the time of the fastest level."""


class CraftFrame(NamedTuple):
    """A frame of an episode.

    Attributes:
        state: State of the episode; it changes with the next frame.
        image: Image of the player's view.
        result: Result of the command that led to the frame.
    """

    state: GameState
    image: VoxelImage
    result: Result


@dataclass(frozen=True)
class RecordedEpisode(Config):
    """What came of an episode.

    Args:
        entry: Its entry in the manifest.
        fractions: Fraction of novel pixels of each frame.
    """

    entry: CraftEntry
    fractions: tuple[float, ...]


def play_frames(plan: EpisodePlan) -> Iterator[CraftFrame]:
    """Play an episode and yield its frames: the one before the first command, and one after each command.

    Args:
        plan: The episode.
    """
    for frame in played(plan):
        assert frame.image is not None
        yield CraftFrame(frame.state, frame.image, frame.result)


def played(plan: EpisodePlan, *, images: bool = True) -> Iterator[PlayedFrame]:
    """Play an episode as :func:`play_frames`, and also tell when the agent has perceived the novelty.

    The novelty is there from the first frame on. Agents do not ask actors that they do not know, as the published
    player did not use the supplier.

    Args:
        plan: The episode.
        images: Whether every frame has its image.
    """
    state = new_game(plan.version, seed=plan.seed, episode=plan.number)
    twin = state.copy() if plan.novelty else None
    if plan.novelty:
        start = partial(insert_item, copies=(plan.copies, plan.copies)) if plan.copies else None
        set_novelty(state, plan.novelty, plan.level, start=start)
    agents = mixture(plan.agents)
    agent = agents.agent(seed=plan.seed, episode=plan.number, walks=plan.version == "v1")
    return play(state, agent, twin=twin, frames=plan.max_frames, images=images, reads_map=agents.reads_map)


def sensed_text(state: GameState, result: Result) -> str:
    """Return what the player senses as JSON text: the data of ``SENSE_ALL NONAV`` with the result of the last command.

    Args:
        state: State of the episode.
        result: Result of the command that led to this state.
    """
    after = {
        "goal": sense.goal(state),
        "command_result": result.to_json(),
        "step": state.step,
        "gameOver": state.over,
    }
    return f'{_dumped(sense.without_map(state))[:-1]},"map":{sense.cell_map_text(state)},{_dumped(after)[1:]}'


def _dumped(data: object) -> str:
    return json.dumps(data, separators=(",", ":"))


@dataclass(frozen=True)
class EpisodeJob:
    """Recording of one episode.

    Args:
        plan: The episode.
        root: Folder of the unfinished set.
    """

    plan: EpisodePlan
    root: Path

    @property
    def id(self) -> str:
        """``class/episode``."""
        return self.plan.id

    def record(self, advance: Advance) -> RecordedEpisode:
        """Play the episode, write its archive, and return what came of it."""
        file = f"{self.id}{ARCHIVE}"
        fractions: list[float] = []
        solved = False
        leaves = mixture(self.plan.agents).reads_map

        def members() -> Iterator[tuple[str, bytes]]:
            nonlocal solved
            for number, (state, image, result) in enumerate(play_frames(self.plan)):
                yield f"{number}.{IMAGE}", encode_png(image.rgb, level=LEVEL, differences=False)
                yield f"{number}.{SENSED}", sensed_text(state, result).encode()
                fractions.append(novel_fraction(state, image, leaves=leaves))
                solved = state.solved
                advance()

        archive = archive_of(members())
        write_bytes(self.root / file, archive, flush=False)
        entry = CraftEntry(file, len(fractions), solved, len(archive), sha256_of(archive))
        return RecordedEpisode(entry, tuple(fractions))
