"""Streams are told apart by seed, episode and purpose, and every draw is a pure function of its name."""

import numpy as np
import pytest
from scipy import stats

from offnominal.core import philox, streams
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import MAX_SEED, Stream, check_seed, stream_keys

PURPOSES = ("reset", "world", "policy", "anomaly", "onset", "a", "b", "ab", "ba", "")


def test_a_hundred_thousand_keys_do_not_collide():
    seeds, episodes = (grid.ravel() for grid in np.meshgrid(np.arange(100), np.arange(100)))
    keys = np.concatenate([stream_keys(seeds, episodes, purpose) for purpose in PURPOSES])
    assert keys.shape == (100_000,)
    assert keys.dtype == np.uint64
    assert np.unique(keys).size == keys.size


def test_every_bit_of_the_keys_is_set_half_of_the_time():
    keys = stream_keys(np.arange(20_000), np.zeros(20_000, int), "reset")
    share = [np.mean((keys >> np.uint64(bit)) & np.uint64(1)) for bit in range(64)]
    assert np.abs(np.array(share) - 0.5).max() < 4.5 * 0.5 / np.sqrt(keys.size)


def test_scrambling_is_splitmix64():
    assert philox._mix(np.uint64(0x9E3779B97F4A7C15)) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize(
    ("text", "word"), [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)]
)
def test_purposes_are_hashed_by_fnv_1a(text, word):
    assert streams.purpose_hash(text) == word


def test_keys_are_the_same_on_every_machine():
    keys = stream_keys(np.array([0, 1, 0, MAX_SEED]), np.array([0, 0, 1, 5]), "reset")
    assert keys.tolist() == [3240118655928902827, 16991447683792541043, 2015132550497353192, 9999231700089563584]


def test_a_named_stream_has_the_key_of_its_name():
    assert Stream.named(3, 2, "anomaly").key == stream_keys(np.array([3]), np.array([2]), "anomaly")[0]


@pytest.mark.parametrize("seed", [0, 1, MAX_SEED, np.int64(5), np.uint8(5)], ids=repr)
def test_a_seed_becomes_a_plain_integer(seed):
    assert check_seed(seed) == seed
    assert type(check_seed(seed)) is int


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, np.int64(-1), True, 1.0, "1", None, [1]], ids=repr)
def test_anything_else_is_no_seed(seed):
    with pytest.raises(InvalidParameter, match="seed"):
        check_seed(seed)


def test_a_bad_seed_names_no_stream():
    with pytest.raises(InvalidParameter, match="outside"):
        Stream.named(-1, 0, "reset")


@pytest.mark.parametrize("draw", [Stream.uniform, Stream.normal], ids=lambda draw: draw.__name__)
def test_a_draw_depends_on_nothing_but_its_name(draw):
    stream = Stream.named(3, 0, "anomaly")
    few = draw(stream, 4, step=7, lane=1)
    draw(stream, 100)
    many = draw(stream, 9, step=7, lane=1)
    assert few.tobytes() == many[:4].tobytes()
    for other in (
        draw(stream, 4, step=8, lane=1),
        draw(stream, 4, step=7, lane=2),
        draw(Stream.named(4, 0, "anomaly"), 4, step=7, lane=1),
        draw(Stream.named(3, 1, "anomaly"), 4, step=7, lane=1),
        draw(Stream.named(3, 0, "onset"), 4, step=7, lane=1),
    ):
        assert not np.isin(few, other).any()


def test_integers_are_uniform_with_both_bounds_included():
    stream = Stream.named(0, 0, "onset")
    drawn = [stream.integer(-2, 4, step=step) for step in range(7_000)]
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2, 3, 4]
    assert stats.chisquare(counts).pvalue > 0.01


def test_an_integer_between_equal_bounds_is_that_bound():
    assert {Stream.named(0, 0, "onset").integer(5, 5, step=step) for step in range(50)} == {5}


def test_a_generator_repeats_itself_and_no_other_stream():
    first, again, other = (Stream.named(seed, 0, "policy").generator().standard_normal(8) for seed in (3, 3, 4))
    assert first.tobytes() == again.tobytes()
    assert not np.isin(first, other).any()
