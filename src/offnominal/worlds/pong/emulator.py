"""The emulators: ale-py, imported when it is needed, and the colours of its screen."""

from __future__ import annotations

from threading import Lock
from typing import Any

import numpy as np

from offnominal.core.errors import MissingDependency
from offnominal.core.types import Frame
from offnominal.worlds.pong.kernel import all_known, luma

MAX_EMULATORS = 8
"""How many emulators a process has at most. To load one takes as long as a thousand steps."""

_loaded: list[Emulator] = []
_loading = Lock()


class EmulatorState:
    """Where a game's state is kept while another game is in its emulator."""

    def __init__(self) -> None:
        self.state: Any = None


class Emulator:
    """An emulator with Pong in it, which games take turns to use.

    A game that comes back finds everything as it was, to the last bit.

    Attributes:
        ale: ale-py's interface.
        lock: Held by whoever uses it.
    """

    def __init__(self) -> None:
        self.ale = _with_pong()
        self.lock = Lock()
        self._inside: EmulatorState | None = None

    def take(self, place: EmulatorState, *, anew: bool = False) -> None:
        """Put a game back in and keep the state of the one before; or start a game anew."""
        if place is not self._inside:
            if self._inside is not None:
                self._inside.state = self.ale.cloneState()
            self._inside = place
            if not anew:
                self.ale.restoreState(place.state)
        if anew:
            self.ale.reset_game()


def emulator(index: int) -> Emulator:
    """Return one of the emulators of this process, loading it if it is not there yet."""
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
    """Which colours the numbers on a screen stand for.

    The emulator hands out numbers thirty times faster than colours, so each colour is asked for once.

    Attributes:
        colours: (256, 3) the colour of each number, as far as it was met.
        greys: (256,) how bright it is.
    """

    def __init__(self) -> None:
        self.colours: Frame = np.zeros((256, 3), np.uint8)
        self.greys: Frame = np.zeros(256, np.uint8)
        self._known = np.zeros(256, np.bool_)
        self._known[0] = True  # black

    def read(self, ale: Any, screen: Frame, other: Frame) -> None:
        """Fill a screen with numbers of colours, all of which are known then, as those of the other one are."""
        ale.getScreen(screen)
        if all_known(screen, other, self._known):
            return
        numbers, places = np.unique(screen, return_index=True)
        self.colours[numbers] = ale.getScreenRGB().reshape(-1, 3)[places]
        self.greys[numbers] = [luma(*(int(part) for part in self.colours[number])) for number in numbers]
        self._known[numbers] = True
