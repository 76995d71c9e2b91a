"""Philox gives the published words, and numbers that are uniform, normal, independent and the same everywhere."""

import hashlib

import numpy as np
import pytest
from scipy import special, stats

from offnominal.core import philox

ONES = 0xFFFFFFFF
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)


def counter_of(words, key):
    """Run Philox4x32-10 backwards: return the counter that a key turns into these words."""
    w0, w1, w2, w3 = words
    for turn in reversed(range(10)):
        k0, k1 = ((key >> 32 * half) + turn * WEYL[half] & ONES for half in range(2))
        c0, c2 = w3 * pow(MULTIPLIERS[0], -1, 2**32) & ONES, w1 * pow(MULTIPLIERS[1], -1, 2**32) & ONES
        w1, w3 = MULTIPLIERS[1] * c2 >> 32 ^ w0 ^ k0, MULTIPLIERS[0] * c0 >> 32 ^ w2 ^ k1
        w0, w2 = c0, c2
    return w0, w1, w2, w3


def uniform_of(words):
    """Return the pair of uniform numbers made of four words, from a counter that gives them."""
    for key in range(100):
        pair, low, lane, high = counter_of(words, key)
        if high < 2**31:
            return philox.uniform_pair(np.uint64(key), high << 32 | low, lane, pair)
    raise AssertionError("no key gives a counter whose step is an int64")


def normals(keys, steps, lane, size):
    out = np.empty((len(keys), size))
    philox.fill_normal(np.asarray(keys, np.uint64), np.asarray(steps), lane, out)
    return out


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((ONES, ONES, ONES, ONES), (ONES, ONES), (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
    ids=["zeros", "ones", "pi"],
)
def test_known_answers_of_the_authors(counter, key, words):
    assert philox.block(*np.array(counter + key, np.uint64)) == words
    assert counter_of(words, key[0] | key[1] << 32) == counter


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((0, 0, 0x80000000, 0), (2.0**-54, 0.5 + 2.0**-54)),
        ((0x40000000, 0, 0, 1 << 11), (0.25 + 2.0**-54, 1.5 * 2.0**-53)),
    ],
)
def test_uniform_numbers_are_the_top_53_bits_of_two_words_and_a_half(words, expected):
    assert uniform_of(words) == pytest.approx(expected, rel=2**-52, abs=0)


def test_the_smallest_uniform_number_is_above_zero():
    assert min(uniform_of((0, 0, 0, 0))) > 0.0


def test_the_largest_uniform_number_is_below_one():
    assert max(uniform_of((ONES, ONES, ONES, ONES))) < 1.0


def test_uniform_numbers_are_uniform():
    out = np.empty((100, 1_000))
    philox.fill_uniform(np.arange(100, dtype=np.uint64), np.zeros(100, int), 0, out)
    assert stats.kstest(out.ravel(), "uniform").pvalue > 0.01
    assert out.min() > 0.0
    assert out.max() < 1.0


def test_an_index_picks_its_half_of_a_pair():
    key = np.uint64(11)
    for pair in range(5):
        first, second = philox.uniform_pair(key, 3, 2, pair)
        assert philox.uniform(key, 3, 2, 2 * pair) == first
        assert philox.uniform(key, 3, 2, 2 * pair + 1) == second


def test_a_step_beyond_32_bits_is_another_step():
    key = np.uint64(11)
    assert philox.uniform_pair(key, 5, 0, 0) != philox.uniform_pair(key, 5 + 2**32, 0, 0)


@pytest.mark.parametrize(
    "p",
    [
        np.linspace(1e-3, 1 - 1e-3, 4_001),
        np.geomspace(1e-16, 1e-3, 1_000),
        1 - np.geomspace(1e-15, 1e-3, 1_000),
        np.geomspace(2.0**-54, 1e-10, 200),
        np.array([0.075, 0.0749999, 0.925, 0.9250001, np.exp(-25), np.exp(-25.0001)]),
    ],
    ids=["middle", "left tail", "right tail", "smallest", "seams"],
)
def test_the_normal_quantile_agrees_with_scipy(p):
    ours = np.array([philox.normal_quantile(each) for each in p])
    np.testing.assert_allclose(ours, special.ndtri(p), rtol=1e-14, atol=1e-15)


def test_the_normal_quantile_is_odd_and_zero_in_the_middle():
    assert philox.normal_quantile(0.5) == 0.0
    for p in (2.0**-30, 2.0**-7, 0.125, 0.375):
        assert philox.normal_quantile(p) == -philox.normal_quantile(1.0 - p)


def test_a_normal_pair_is_the_quantile_of_the_uniform_pair():
    key = np.uint64(5)
    uniform = philox.uniform_pair(key, 1, 2, 3)
    assert philox.normal_pair(key, 1, 2, 3) == tuple(philox.normal_quantile(p) for p in uniform)


def test_a_hundred_thousand_normal_numbers_are_normal():
    x = normals(np.arange(100), np.arange(100), 0, 1_000).ravel()
    n = x.size
    assert stats.kstest(x, "norm").pvalue > 0.01
    assert abs(x.mean()) < 3 / np.sqrt(n)
    assert abs(x.var() - 1) < 3 * np.sqrt(2 / n)
    assert abs(stats.skew(x)) < 3 * np.sqrt(6 / n)
    assert abs(stats.kurtosis(x)) < 3 * np.sqrt(24 / n)


BASE = {"keys": np.arange(200) + 7, "steps": np.arange(200) + 3, "lane": 1, "size": 500}


@pytest.mark.parametrize(
    "neighbour",
    [
        {"lane": 2},
        {"steps": BASE["steps"] + 1},
        {"steps": BASE["steps"] + 2**32},
        {"keys": BASE["keys"] + 1},
        {"keys": BASE["keys"] + 2**32},
    ],
    ids=["next lane", "next step", "far step", "next key", "far key"],
)
def test_neighbouring_draws_are_independent(neighbour):
    x, y = normals(**BASE).ravel(), normals(**{**BASE, **neighbour}).ravel()
    bound = 4 / np.sqrt(x.size)
    for f in (lambda z: z, np.square, np.abs):
        assert abs(np.corrcoef(f(x), f(y))[0, 1]) < bound


def test_numbers_of_one_draw_are_independent_of_each_other():
    x = normals(**BASE)
    for shift in (1, 2, 3):
        assert abs(np.corrcoef(x[:, :-shift].ravel(), x[:, shift:].ravel())[0, 1]) < 4 / np.sqrt(x.size)


def test_the_rows_of_a_block_do_not_depend_on_each_other():
    together = normals([5, 6, 7], [1, 2, 3], 4, 9)
    alone = normals([6], [2], 4, 9)
    assert together[1].tobytes() == alone[0].tobytes()


def test_normal_numbers_have_the_same_bits_on_every_machine():
    block = normals([k * 0x9E3779B97F4A7C15 % 2**63 for k in range(64)], np.arange(64), 3, 64).astype("<f8")
    assert (
        hashlib.sha256(block.tobytes()).hexdigest()
        == "ef4cd4226868aae2c04a159c3bcb0ac7598d4ba98522266bad5b1005f3401910"
    )


def test_compiling_changes_no_bit_of_the_quantile():
    for p in np.concatenate([np.geomspace(1e-16, 0.5, 500), np.linspace(0.5, 0.999999, 500)]):
        assert philox.normal_quantile(p) == philox.normal_quantile.py_func(p)  # type: ignore[attr-defined]
