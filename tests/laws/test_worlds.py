"""Every registered world obeys the laws; broken worlds fail them."""

from __future__ import annotations

import numpy as np
import pytest

from offnominal.core.errors import LawBroken
from offnominal.core.registry import Spec
from offnominal.core.types import Array, Frames, IntArray
from offnominal.laws import check_world
from offnominal.worlds import worlds
from offnominal.worlds.particles.world import ParticleWorld

pytestmark = pytest.mark.long

PHYSICS = ("physics parameters are restored exactly",)
IMAGES = (
    "images depend only on the state",
    "images for people have any size",
    "image environments pass Gymnasium's check",
)


@pytest.mark.parametrize("id", worlds.ids())
def test_every_world_obeys_the_laws(id: str) -> None:
    report = check_world(id)
    report.raise_if_broken()
    left_out = {finding.law for finding in report if not finding.holds}
    card = worlds.card(id)
    without = {*(() if card.physics_parameters else PHYSICS), *(() if "camera" in card.tags else IMAGES)}
    assert left_out == without


class Unseeded(ParticleWorld):
    """Draws from a generator of its own."""

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        super().step(actions + np.random.default_rng().normal(0, 0.1, actions.shape), rows)


class Neighbourly(ParticleWorld):
    """Makes one row depend on the others."""

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        super().step(actions - 0.1 * actions.mean(axis=0), rows)


class Forgetful(ParticleWorld):
    """Does not restore its physics parameters."""

    def reset(self, rows: IntArray, seeds: IntArray, episodes: IntArray) -> None:
        kept = self._physics_parameters[rows].copy()
        super().reset(rows, seeds, episodes)
        self._physics_parameters[rows] = kept


class Overflowing(ParticleWorld):
    """Reports an observation of the wrong type."""

    def step(self, actions: Array, rows: IntArray | None = None) -> None:
        super().step(actions, rows)
        self.rewards = self.rewards.astype(np.int64)


class Stained(ParticleWorld):
    """Makes an image depend on its position in the batch."""

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        frames = super()._draw(rows, observations, size)
        frames[0] = 255 - frames[0]
        return frames


class Disturbed(ParticleWorld):
    """Changes its state when it is rendered."""

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        frames = super()._draw(rows, observations, size)
        self._state.velocity[rows] += 1e-3
        return frames


class Monochrome(ParticleWorld):
    """Renders images of the wrong shape."""

    def _draw(self, rows: IntArray, observations: Array | None, size: int) -> Frames:
        return super()._draw(rows, observations, size)[..., 0]


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Unseeded, "an episode is reproducible by its seed"),
        (Neighbourly, "a batch equals its single runs"),
        (Forgetful, "physics parameters are restored exactly"),
        (Overflowing, "observations and rewards match their spaces"),
        (Stained, "images depend only on the state"),
        (Disturbed, "images depend only on the state"),
        (Monochrome, "image environments pass Gymnasium's check"),
    ],
)
def test_a_broken_world_fails_its_law(broken: type, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    specs = {**worlds._specs, "Broken-v0": Spec("Broken-v0", f"{__name__}:{broken.__name__}")}
    monkeypatch.setattr(worlds, "_specs", specs)
    monkeypatch.setattr(Spec, "load", lambda self: broken)
    report = check_world("Broken-v0")
    assert law in [finding.law for finding in report if finding.problem]
    with pytest.raises(LawBroken, match=f"Broken-v0 breaks .*{law}"):
        report.raise_if_broken()
