"""Emulators of ale-py, imported on first use, and the colours of their screens."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from offnominal.core.errors import MissingDependency
from offnominal.core.types import Frame
from offnominal.worlds.pong.kernel import all_known, luma

MAX_EMULATORS = 8
"""Largest number of emulators per process. Loading one takes as long as a thousand steps."""

_loaded: list[Emulator] = []
_loading = Lock()


class EmulatorState:
    """State of a game while another game uses its emulator."""

    def __init__(self) -> None:
        self.state: Any = None


class Emulator:
    """An emulator of Pong that several games share.

    The state of a game is saved and restored exactly when games alternate.

    Attributes:
        ale: Interface of ale-py.
        lock: Held while a game uses the emulator.
    """

    def __init__(self) -> None:
        self.ale = _with_pong()
        self.lock = Lock()
        self._current: EmulatorState | None = None

    def switch(self, game: EmulatorState, *, restart: bool = False) -> None:
        """Switch to a game and save the state of the previous one.

        Args:
            game: State of the game.
            restart: Whether to start a new game instead of restoring the state.
        """
        if game is not self._current:
            if self._current is not None:
                self._current.state = self.ale.cloneState()
            self._current = game
            if not restart:
                self.ale.restoreState(game.state)
        if restart:
            self.ale.reset_game()


def emulator(index: int) -> Emulator:
    """Return an emulator of this process; it is loaded on first use."""
    index %= MAX_EMULATORS
    with _loading:
        while len(_loaded) <= index:
            _loaded.append(Emulator())
    return _loaded[index]


def _with_pong() -> Any:
    try:
        from ale_py import ALEInterface, LoggerMode, roms
    except ImportError:
        raise MissingDependency('Pong needs ale-py; install it with `pip install "offnominal[atari]"`.') from None
    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.setInt("frame_skip", 1)
    ale.setInt("random_seed", 0)
    ale.setFloat("repeat_action_probability", 0.0)
    rom: Any = roms.get_rom_path("pong")
    ale.loadROM(rom)
    return ale


class Palette:
    """Colours of the palette indices on a screen.

    The emulator returns indices thirty times faster than colours, so each colour is read once.

    Attributes:
        colours: (256, 3): colour of each index that has appeared.
        greys: (256,): grey level of each index.
    """

    def __init__(self) -> None:
        self.colours: Frame = np.zeros((256, 3), np.uint8)
        self.greys: Frame = np.zeros(256, np.uint8)
        self._known = np.zeros(256, np.bool_)
        self._known[0] = True  # black

    def read(self, ale: Any, screen: Frame, other: Frame) -> None:
        """Read a screen as palette indices and read the colours of new ones.

        Args:
            ale: Interface of ale-py.
            screen: (210, 160): filled with indices.
            other: Another screen, of which all colours are known.
        """
        ale.getScreen(screen)
        if all_known(screen, other, self._known):
            return
        indices, positions = np.unique(screen, return_index=True)
        self.colours[indices] = ale.getScreenRGB().reshape(-1, 3)[positions]
        self.greys[indices] = [luma(*(int(part) for part in self.colours[index])) for index in indices]
        self._known[indices] = True
