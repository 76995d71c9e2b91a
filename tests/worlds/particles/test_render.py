"""Images of the particle worlds."""

import math

import numpy as np
import pytest

from offnominal.core.types import BoolArray, FloatArray, Frame
from offnominal.worlds.particles.kernel import AGENT_RADIUS, GOAL_RADIUS, HAZARD_RADIUS, OBJECT_RADIUS
from offnominal.worlds.particles.render import AGENT, BACKGROUND, GOAL, HAZARD, MARKER, OBJECT, VIEW
from offnominal.worlds.particles.render import draw as draw_rows
from offnominal.worlds.particles.world import ParticleWorld

pytestmark = pytest.mark.long

SIZE = 128
IDS = ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0")
FAR = np.array((50.0, 50.0))
RADII = {AGENT: AGENT_RADIUS, OBJECT: OBJECT_RADIUS, GOAL: GOAL_RADIUS, HAZARD: HAZARD_RADIUS}


def draw(position: FloatArray, goal: FloatArray, hazards: FloatArray, *, size: int = SIZE) -> Frame:
    frame: Frame = draw_rows(position[None], goal[None], hazards[None], size=size)[0]
    return frame


def alone(kind: tuple[float, float, float], at: tuple[float, float], *, size: int = SIZE) -> Frame:
    """One thing; the agent and the goal cannot be absent and wait in the upper right corner, out of view."""
    place = np.array(at)
    agent = place if kind == AGENT else FAR
    objects = [place] if kind == OBJECT else []
    hazards = np.array([place]) if kind == HAZARD else np.zeros((0, 2))
    return draw(np.array([agent, *objects]), place if kind == GOAL else FAR, hazards, size=size)


def pixel(point: FloatArray | tuple[float, float], size: int = SIZE) -> tuple[int, int]:
    return int((VIEW - point[1]) / (2 * VIEW) * size), int((point[0] + VIEW) / (2 * VIEW) * size)


def byte(colour: tuple[float, float, float]) -> list[int]:
    return [round(255 * c) for c in colour]


def shown(frame: Frame, colour: tuple[float, float, float]) -> BoolArray:
    return np.asarray((frame == byte(colour)).all(axis=2))


def centroid(mask: BoolArray) -> FloatArray:
    """Mean place of the marked pixels in metres."""
    rows, columns = np.nonzero(mask)
    x, y = (columns + 0.5) / mask.shape[1], (rows + 0.5) / mask.shape[0]
    return np.array(((2 * x.mean() - 1) * VIEW, (1 - 2 * y.mean()) * VIEW))


def started(id: str, seed: int) -> ParticleWorld:
    world = ParticleWorld(1, id=id)
    world.reset(np.arange(1), np.array([seed]), np.zeros(1, np.int64))
    return world


@pytest.mark.parametrize("id", IDS)
def test_every_layout_renders_as_bytes(id: str) -> None:
    world = started(id, 3)
    assert world.frames()[0].shape == (128, 128, 3)
    assert world.frames()[0].dtype == np.uint8
    assert world.frames()[0].tobytes() == started(id, 3).frames()[0].tobytes()
    assert world.frames()[0].tobytes() != started(id, 4).frames()[0].tobytes()


@pytest.mark.parametrize("seed", range(8))
def test_agent_colour_is_where_the_agent_is(seed: int) -> None:
    agent = np.random.default_rng(seed).uniform(-1.4, 1.4, 2)
    objects = np.tile(agent, (3, 1))
    frame = draw(np.vstack((agent, objects)), agent, np.array([agent]))
    assert frame[pixel(agent)].tolist() == byte(AGENT)


def test_objects_cover_hazards_and_the_goal() -> None:
    frame = draw(np.array([FAR, (0.0, 0.0), (1.0, 0.0)]), np.array((0.0, 0.0)), np.array([(1.0, 0.0)]))
    assert frame[pixel((0.0, 0.0))].tolist() == byte(OBJECT)
    assert frame[pixel((1.0, 0.0))].tolist() == byte(OBJECT)
    assert frame[pixel((0.0, 0.15))].tolist() == byte(GOAL)
    assert frame[pixel((1.0, 0.15))].tolist() == byte(HAZARD)


@pytest.mark.parametrize("kind", RADII)
def test_thing_is_as_large_as_its_physics(kind: tuple[float, float, float]) -> None:
    frame = alone(kind, (-0.5, -0.5), size=512)[256:, :256]
    area = (frame != byte(BACKGROUND)).any(axis=2).sum() * (2 * VIEW / 512) ** 2
    # Every pixel that is touched counts, so the radius seems half a pixel too long.
    assert area == pytest.approx(math.pi * (RADII[kind] + VIEW / 512) ** 2, rel=0.03)


@pytest.mark.parametrize("kind", RADII)
@pytest.mark.parametrize("shift", [(0.5, 0.0), (0.0, 0.5), (-0.37, 0.21)])
def test_colour_moves_with_the_thing(kind: tuple[float, float, float], shift: tuple[float, float]) -> None:
    frames = [alone(kind, at, size=512)[128:, :384] for at in ((-0.6, -0.6), (shift[0] - 0.6, shift[1] - 0.6))]
    before, after = (centroid(np.pad(shown(f, kind), ((128, 0), (0, 128)))) for f in frames)
    np.testing.assert_allclose(after - before, shift, atol=0.005)


@pytest.mark.parametrize("kind", RADII)
@pytest.mark.parametrize(
    "at", [(-1.6, 0.3), (9.0, 0.3), (-0.4, 1.51), (-0.4, -1e9), (-2.0, -1.8), (-1.52, 1.45)], ids=str
)
def test_thing_out_of_view_points_out_at_the_border(kind: tuple[float, float, float], at: tuple[float, float]) -> None:
    size = 512
    mask = shown(alone(kind, at, size=size), kind)
    assert mask.sum() * (2 * VIEW / size) ** 2 > 0.3 * MARKER**2
    middle = centroid(mask)
    nearest = np.clip(at, -VIEW, VIEW)
    assert np.abs(middle - nearest).max() < 1.5 * MARKER
    rows, columns = np.nonzero(mask)
    places = np.stack((2 * (columns + 0.5) / size - 1, 1 - 2 * (rows + 0.5) / size), axis=1) * VIEW
    outward = np.clip(np.array(at) - middle, -1.0, 1.0)
    outward /= np.linalg.norm(outward)
    along = (places - middle) @ outward
    # A triangle reaches twice as far from its centroid towards the tip as towards the base.
    assert along.max() > 1.4 * -along.min()


@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("seed", range(3))
def test_image_shows_nothing_but_the_bodies(id: str, seed: int) -> None:
    world = started(id, seed)
    places = np.vstack((world._state.position[0], world._state.goals, world._state.hazards[0]))
    radii = [AGENT_RADIUS] + [OBJECT_RADIUS] * world.layout.objects + [GOAL_RADIUS]
    radii += [HAZARD_RADIUS] * world.layout.hazards
    step = 2 * VIEW / SIZE
    x, y = np.meshgrid((np.arange(SIZE) + 0.5) * step - VIEW, VIEW - (np.arange(SIZE) + 0.5) * step)
    empty = np.ones((SIZE, SIZE), bool)
    for (px, py), radius in zip(np.clip(places, -VIEW, VIEW), radii, strict=True):
        empty &= np.hypot(x - px, y - py) > max(radius, 3 * MARKER * (max(abs(px), abs(py)) == VIEW)) + step
    assert empty.mean() > 0.6
    assert shown(world.frames()[0], BACKGROUND)[empty].all()


def test_image_does_not_depend_on_elapsed_time() -> None:
    world = started("SAP-Goal1-v0", 0)
    before = world.frames()[0]
    for _ in range(20):
        world.step(np.zeros((1, 2)))
    np.testing.assert_array_equal(world.frames()[0], before)


def test_image_follows_the_physics() -> None:
    world = started("SAP-Goal0-v0", 0)
    before = centroid(shown(world.frames()[0], AGENT))
    for _ in range(4):
        world.step(np.array([(1.0, 0.0)]))
    after = centroid(shown(world.frames()[0], AGENT))
    moved = world._state.position[0, 0] - before
    np.testing.assert_allclose(after - before, moved, atol=0.02)
    assert after[0] - before[0] > 0.1


def test_each_row_has_its_own_image() -> None:
    world = ParticleWorld(2, id="SAP-Goal0-v0")
    world.reset(np.arange(2), np.array([5, 6]), np.zeros(2, np.int64))
    assert world.frames()[1].tobytes() == started("SAP-Goal0-v0", 6).frames()[0].tobytes()
    assert world.frames()[0].tobytes() != world.frames()[1].tobytes()


@pytest.mark.parametrize("at", [(math.nan, 0.0), (0.0, math.inf), (-math.inf, math.inf)], ids=str)
def test_thing_without_a_place_is_not_drawn(at: tuple[float, float]) -> None:
    nothing = draw(np.array([FAR]), FAR, np.zeros((0, 2)))
    np.testing.assert_array_equal(alone(OBJECT, at), nothing)
