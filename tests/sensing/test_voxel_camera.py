"""Images of worlds of blocks, compared with a brute-force oracle that tests every box of every block."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.sensing import (
    ModelPart,
    VoxelCamera,
    VoxelEntity,
    VoxelLight,
    pack_models,
    render_blocks,
)

pytestmark = pytest.mark.long

SIZE = 25
PLAIN = VoxelLight(ambient_occlusion=0.0)


def texture(colour, holes=False, opacity=255):
    made = np.full((16, 16, 4), (*colour, opacity), np.uint8)
    if holes:
        made[::2, ::2] = 0
    return made


def box(colour, low=(0.0, 0.0, 0.0), high=(16.0, 16.0, 16.0), **settings):
    return ModelPart((texture(colour),) * 6, low, high, **settings)


LATTICE = ModelPart((texture((9, 90, 9), holes=True),) * 6)
MODELS = {
    1: (box((90, 90, 90)),),
    2: (box((200, 20, 20), (2.0, 0.0, 3.0), (13.0, 7.0, 12.0)), box((20, 20, 200), (6.0, 7.0, 6.0), (9.0, 15.0, 9.0))),
    3: (LATTICE,),
    4: (
        box((200, 20, 20), (7.0, 0.0, 7.0), (9.0, 16.0, 9.0)),
        box((1, 2, 3), (0.0, 6.0, 7.5), (8.0, 9.0, 8.5), condition="-x"),
    ),
}
PACKED = pack_models(MODELS)
PERSON = pack_models({1: (box((10, 200, 10), (-4.0, 0.0, -2.0), (4.0, 24.0, 2.0), stretched=True),)})


def world(seed):
    rng = np.random.default_rng(seed)
    blocks = rng.choice(5, (6, 5, 7), p=(0.72, 0.1, 0.06, 0.06, 0.06)).astype(np.uint8)
    x, y, z = rng.uniform((0.0, 0.0, 0.0), blocks.shape) if seed % 3 else rng.uniform(-4.0, 12.0, 3)
    yaw, pitch = rng.uniform(-180.0, 360.0), rng.uniform(-80.0, 80.0)
    if seed >= 8:
        yaw, pitch = (yaw, 90.0 * (seed % 4))[seed >= 14], 0.0
    camera = VoxelCamera((x, y, z), yaw, pitch, SIZE, SIZE)
    spots = rng.uniform((0.5, 0.0, 0.5), (5.5, 3.0, 6.5), (2, 3))
    entities = [VoxelEntity(1, tuple(spots[k]), rng.uniform(0.0, 360.0), identity=7 + k) for k in range(2)]
    return blocks, camera, entities


def rays(camera):
    """The axes of the camera from its definition, with NumPy's sines; one ray per pixel."""
    yaw, pitch, half = np.radians(camera.yaw), np.radians(camera.pitch), np.tan(np.radians(camera.fov) / 2.0)
    forward = np.array((-np.sin(yaw) * np.cos(pitch), -np.sin(pitch), np.cos(yaw) * np.cos(pitch)))
    right = np.array((-np.cos(yaw), 0.0, -np.sin(yaw)))
    steps = (2.0 * np.arange(SIZE) + 1.0) / SIZE - 1.0
    across, down = np.meshgrid(half * steps, half * steps)
    return forward + across[..., None] * right - down[..., None] * np.cross(right, forward)


def slab(low, high, origin, direction):
    direction = np.where(direction == 0.0, 1e-300, direction)
    with np.errstate(divide="ignore", over="ignore"):
        one, two = (low - origin) / direction, (high - origin) / direction
    near, far = np.minimum(one, two), np.maximum(one, two)
    return np.where(near.max(-1) <= far.min(-1), near.max(-1), np.inf), near.argmax(-1)


def exists(part, blocks, x, y, z):
    if part.condition == "always":
        return True
    return x > 0 and blocks[x - 1, y, z] in (1, blocks[x, y, z])


def oracle(blocks, camera, entities):
    """The nearest block, entity and depth of every pixel, by a test of every box."""
    direction, eye = rays(camera), np.array(camera.position)
    depth = np.full((SIZE, SIZE), np.inf)
    block, entity = np.zeros((2, SIZE, SIZE), np.int64)
    for cell in zip(*np.nonzero(blocks), strict=True):
        corner, number = np.array(cell), blocks[cell]
        for part in MODELS[number]:
            low, high = corner + np.array(part.low) / 16.0, corner + np.array(part.high) / 16.0
            t, axis = slab(low, high, eye, direction)
            hit = (t > 0.0) & (t < depth) & exists(part, blocks, *cell)
            if part is LATTICE:
                place = eye + np.where(np.isfinite(t), t, 0.0)[..., None] * direction - corner
                sign = np.take_along_axis(direction, axis[..., None], -1)[..., 0] > 0.0
                x, y, z = np.moveaxis(place, -1, 0)
                u = np.select([axis == 0, axis == 1], [np.where(sign, z, 1 - z), x], np.where(sign, 1 - x, x))
                v = np.where(axis == 1, np.where(sign, 1 - z, z), 1 - y)
                hit &= ~((np.floor(16 * u) % 2 == 0) & (np.floor(16 * v) % 2 == 0))
            depth[hit], block[hit] = t[hit], number
    for each in entities:
        s, c = np.sin(np.radians(each.yaw)), np.cos(np.radians(each.yaw))
        turn = np.array(((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)))
        t, _ = slab(
            np.array((-4, 0, -2)) / 16, np.array((4, 24, 2)) / 16, turn @ (eye - each.position), direction @ turn.T
        )
        hit = (t > 0.0) & (t < depth)
        depth[hit], block[hit], entity[hit] = t[hit], 0, each.identity
    return block, entity, depth


@pytest.mark.parametrize("seed", range(18))
def test_blocks_entities_and_depth_are_those_of_the_oracle(seed):
    blocks, camera, entities = world(seed)
    image = render_blocks(blocks, PACKED, camera, entities=entities, entity_models=PERSON)
    block, entity, depth = oracle(blocks, camera, entities)
    np.testing.assert_array_equal(image.block, block)
    np.testing.assert_array_equal(image.entity, entity)
    np.testing.assert_allclose(image.depth, depth, rtol=1e-6)


def test_oracle_has_all_kinds_of_pixels():
    seen = [oracle(*world(seed)) for seed in range(18)]
    assert {number for block, _, _ in seen for number in np.unique(block)} == {0, 1, 2, 3, 4}
    assert {number for _, entity, _ in seen for number in np.unique(entity)} == {0, 7, 8}


def alone(model, yaw=0.0, pitch=0.0, light=PLAIN, size=32):
    """The middle of an image of one block, two blocks away."""
    blocks = np.zeros((1, 1, 1), np.uint8)
    blocks[0, 0, 0] = 1
    s, c = np.sin(np.radians(yaw)), np.cos(np.radians(yaw))
    level = 2.0 * np.cos(np.radians(pitch))
    eye = (0.5 + level * s, 0.5 + 2.0 * np.sin(np.radians(pitch)), 0.5 - level * c)
    return render_blocks(blocks, pack_models({1: model}), VoxelCamera(eye, yaw, pitch, size, size, 37.0), light=light)


@pytest.mark.parametrize(("yaw", "brightness"), [(0.0, 0.81), (90.0, 0.62), (180.0, 0.81), (270.0, 0.62)])
def test_texture_is_upright_and_not_mirrored_on_every_side(yaw, brightness):
    marked = texture((100, 100, 100))
    marked[:8, :8, 0] = 200
    rgb = alone((ModelPart((marked,) * 6),), yaw).rgb
    corners = rgb[[10, 10, 22, 22], [10, 22, 10, 22], 0]
    assert corners.tolist() == [round(brightness * shade) for shade in (200, 100, 100, 100)]


def test_translucent_block_is_mixed_with_the_sky():
    glass = alone((ModelPart((texture((200, 0, 0), opacity=128),) * 6, glowing=True),))
    sky = alone((ModelPart((texture((0, 0, 0), opacity=0),) * 6),))
    assert glass.block[16, 16] == 1
    assert sky.block[16, 16] == 0
    share = 128 / 255
    np.testing.assert_allclose(
        glass.rgb[16, 16], share * np.array((200.0, 0.0, 0.0)) + (1.0 - share) * sky.rgb[16, 16], atol=1.0
    )


def test_crossed_squares_are_seen_from_every_side():
    plant = (ModelPart((texture((0, 200, 0)),) * 6, crossed=True),)
    for yaw in (0.0, 33.0, 90.0, 200.0):
        image = alone(plant, yaw)
        assert 0.2 < image.fraction([1]) < 0.95
        assert abs(image.depth[16, 16] - 2.0) < 0.1


def test_fog_daylight_and_glow_change_colours_only():
    stone, lamp = (box((200, 200, 200)),), (box((200, 200, 200), glowing=True),)
    night = VoxelLight(daylight=0.2)
    assert alone(stone, light=night).rgb[16, 16, 0] == round(0.2 * 0.81 * 200)
    assert alone(lamp, light=night).rgb[16, 16, 0] == 200
    foggy = alone(stone, light=VoxelLight(visibility=3.0))
    assert foggy.rgb[16, 16, 2] > alone(stone).rgb[16, 16, 2]
    np.testing.assert_array_equal(foggy.block, alone(stone).block)


def test_fraction_counts_blocks_and_entities():
    blocks, camera, entities = world(4)
    image = render_blocks(blocks, PACKED, camera, entities=entities, entity_models=PERSON)
    counted = (np.isin(image.block, (2, 3)) | (image.entity == 7)).mean()
    assert image.fraction([2, 3], [7]) == counted
    assert image.fraction() == 0.0


@pytest.mark.parametrize(
    "build",
    [
        lambda: VoxelCamera((0.0, 0.0, np.nan)),
        lambda: VoxelCamera((0.0, 0.0, 0.0), pitch=91.0),
        lambda: VoxelLight(visibility=0.0),
        lambda: ModelPart((np.zeros((8, 8, 4), np.uint8),) * 6),
        lambda: box((0, 0, 0), (3.0, 0.0, 0.0), (2.0, 1.0, 1.0)),
        lambda: pack_models({255: MODELS[1]}),
        lambda: render_blocks(np.zeros((2, 2)), PACKED, VoxelCamera((0.0, 0.0, 0.0))),
        lambda: render_blocks(np.ones((1, 1, 1)), PACKED, world(0)[1], entities=world(0)[2]),
    ],
)
def test_invalid_arguments_are_errors(build):
    with pytest.raises(InvalidParameter):
        build()
