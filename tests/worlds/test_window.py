"""A window shows every step; without a display or pygame there is a named error."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import offnominal as off
from offnominal.core.errors import MissingDependency, UnsupportedEnvironment
from offnominal.worlds.single_env import Window


def test_a_window_shows_every_step_until_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = off.make("SAP-Goal0-v0", render_mode="human", render_size=90, faults=())
    env.reset(seed=0)
    shown = []
    for _ in range(2):
        env.step(np.ones(2))
        shown.append(pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1))
    assert shown[0].shape == (90, 90, 3)
    assert not np.array_equal(shown[0], shown[1])
    assert env.render() is None
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(np.ones(2))
    assert not pygame.display.get_init()
    env.step(np.ones(2))
    env.close()


def test_without_a_display_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UnsupportedEnvironment, match="needs a display"):
        off.make("SAP-Goal0-v0", render_mode="human")


def test_without_pygame_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(MissingDependency, match="pip install pygame-ce"):
        Window("a world", 20)
