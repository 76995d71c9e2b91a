"""Saved policies with crafted or damaged weights and cards."""

import errno
import json
import os
import random
import shutil

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import load_file
from safetensors.numpy import save as save_tensors

from offnominal.agents import NetworkPolicy, PolicyCard, load_policy, save_policy
from offnominal.agents.uncertainty import DenseNetworks, UncertainPolicy
from offnominal.core.errors import DamagedFile, InaccessibleFile, OffnominalError
from offnominal.core.files import sha256_of

pytestmark = pytest.mark.long

SPACE = Box(-2.0, 2.0, (3,), np.float32)
ENSEMBLE = UncertainPolicy(DenseNetworks.random((4, 8, 2), members=3), Discrete(2), kind="ensemble")
ACTOR = UncertainPolicy(
    DenseNetworks.random((4, 8, 1), members=3),
    Box(-1.0, 1.0, (1,), np.float32),
    kind="ensemble",
    critic=DenseNetworks.random((5, 8, 1), members=3),
)
POLICIES = {
    "network": (NetworkPolicy.random(5, SPACE, hidden=(8,), seed=3), {"low": (-2.0,) * 3, "high": (2.0,) * 3}),
    "ensemble": (ENSEMBLE, {"n_actions": 2, "uncertainty": "ensemble", "passes": 3}),
    "critic": (ACTOR, {"low": (-1.0,), "high": (1.0,), "uncertainty": "ensemble", "passes": 3}),
}


@pytest.fixture(params=POLICIES)
def saved(request, tmp_path):
    policy, about = POLICIES[request.param]
    card = PolicyCard(**{"world": "Test-v0", "algorithm": "none", "low": (), "high": (), **about})
    save_policy(tmp_path / "policy", policy, card)
    return tmp_path / "policy"


def craft(path, tensors=None, **changes):
    """Write other weights or another card, with the hashes that belong to them."""
    card = PolicyCard.from_dict(json.loads(path.with_suffix(".json").read_text()))
    content = path.with_suffix(".safetensors").read_bytes() if tensors is None else save_tensors(tensors)
    path.with_suffix(".safetensors").write_bytes(content)
    data = card.replace(**{"sha256": sha256_of(content), **changes}).with_sha256().to_dict()
    path.with_suffix(".json").write_text(json.dumps(data))


def refused(path):
    try:
        load_policy(path)
    except DamagedFile as error:
        return "does not contain the policy of its card" in str(error)
    return False


def changed(tensors, **changes):
    return {name: values for name, values in {**tensors, **changes}.items() if values is not None}


def crafted_weights(tensors):
    first, bias = tensors["0.weight"], tensors["0.bias"]
    yield {}
    yield changed(tensors, **{"0.weight": None})
    yield changed(tensors, **{"0.bias": None})
    yield changed(tensors, extra=np.zeros(3, np.float32))
    yield changed(tensors, **{"7.weight": first, "7.bias": bias})
    yield changed(tensors, **{"critic.0.weight": np.zeros((1, 2, 3), np.float32)})
    yield changed(tensors, **{"0.weight": np.ascontiguousarray(np.swapaxes(first, -1, -2))})
    yield changed(tensors, **{"0.weight": first.ravel()})
    yield changed(tensors, **{"0.weight": first[..., :-1].copy()})
    yield changed(tensors, **{"0.weight": first[:0]})
    yield changed(tensors, **{"0.bias": bias[..., None]})
    yield changed(tensors, **{"0.weight": first.astype(np.float64)})
    yield changed(tensors, **{"0.weight": np.ones(first.shape, np.int64)})
    for value in (np.nan, np.inf):
        broken = first.copy()
        broken.flat[-1] = value
        yield changed(tensors, **{"0.weight": broken})
    yield {name: values[:0].copy() for name, values in tensors.items()}
    yield {name: np.zeros((), np.float32) for name in tensors}


def test_crafted_weights_are_refused(saved):
    tensors = load_file(saved.with_suffix(".safetensors"))
    for number, crafted in enumerate(crafted_weights(tensors)):
        craft(saved, crafted)
        assert refused(saved), f"the weights of case {number} were accepted"


@pytest.mark.parametrize(
    "change",
    [
        {"n_actions": 10**30},
        {"n_actions": -1},
        {"n_actions": 3},
        {"low": (-2.0,) * 1000, "high": (2.0,) * 1000, "n_actions": 0},
        {"low": (float("nan"),), "high": (1.0,), "n_actions": 0},
        {"low": (), "high": (), "n_actions": 0},
        {"low": (3.0, 3.0, 3.0), "high": (1.0, 1.0, 1.0), "n_actions": 0},
        {"uncertainty": "dropout", "probability": 1.0},
        {"uncertainty": "dropout", "probability": float("nan")},
        {"uncertainty": "ensemble", "passes": 10**30},
        {"uncertainty": "dropout", "passes": 10**12},
        {"uncertainty": "ensemble", "passes": -1},
        {"uncertainty": "ensemble", "discount": float("nan")},
        {"uncertainty": "dreams"},
        {"activation": "gelu", "uncertainty": ""},
    ],
    ids=str,
)
def test_crafted_cards_are_refused(saved, change):
    craft(saved, **change)
    with pytest.raises(DamagedFile):
        load_policy(saved)


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[]", b"\xff", b"[" * 100_000, b"{}", b'{"format": 1}', b'{"format": 1, "world": 3}']
)
def test_an_invalid_card_is_refused(saved, text):
    saved.with_suffix(".json").write_bytes(text)
    with pytest.raises(DamagedFile):
        load_policy(saved)


def flips_are_noticed(saved, count):
    before = load_policy(saved)
    seen = np.ones((2, 5 if isinstance(before[0], NetworkPolicy) else 4), np.float32)
    draw, tried = random.Random(17), 0
    for file in (saved.with_suffix(".json"), saved.with_suffix(".safetensors")):
        content = file.read_bytes()
        bits = draw.sample(range(8 * len(content)), min(count, 8 * len(content)))
        tried += len(bits)
        for bit in bits:
            flipped = bytearray(content)
            flipped[bit // 8] ^= 1 << bit % 8
            file.write_bytes(flipped)
            try:
                policy, card = load_policy(saved)
            except DamagedFile:
                continue
            assert card == before[1], (file, bit)
            np.testing.assert_array_equal(policy.act(seen, None)[0], before[0].act(seen, None)[0])
        file.write_bytes(content)
    return tried


def test_flipped_bits_are_noticed_or_change_nothing(saved):
    flips_are_noticed(saved, 60)


@pytest.mark.hostile
def test_every_flipped_bit_is_noticed_or_changes_nothing(saved, count_cases):
    count_cases(flips_are_noticed(saved, 10**9))


@pytest.mark.parametrize("path", ["", ".", "x" * 300, "a\0b", "file/policy", None, 3])
def test_an_impossible_path_is_a_named_error_and_leaves_nothing(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    policy, about = POLICIES["network"]
    with pytest.raises(OffnominalError):
        save_policy(path, policy, PolicyCard(world="Test-v0", algorithm="none", **about))
    with pytest.raises(OffnominalError):
        load_policy(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_folder_where_a_file_should_be_is_named(saved):
    for ending in (".json", ".safetensors"):
        file = saved.with_suffix(ending)
        content = file.read_bytes()
        file.unlink()
        file.mkdir()
        with pytest.raises(InaccessibleFile, match="name a file, not a folder"):
            load_policy(saved)
        shutil.rmtree(file)
        file.write_bytes(content)


def test_a_full_disk_is_named_and_the_old_policy_stays(saved, monkeypatch):
    before = {path.name: path.read_bytes() for path in saved.parent.iterdir()}

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    policy, card = load_policy(saved)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InaccessibleFile, match="free some space"):
        save_policy(saved, policy, card)
    assert {path.name: path.read_bytes() for path in saved.parent.iterdir()} == before
