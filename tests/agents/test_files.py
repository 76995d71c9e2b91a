"""Policies on disk: round trip, hashes and damage."""

import json

import numpy as np
import pytest
from gymnasium.spaces import Box

from offnominal.agents import NetworkPolicy, PolicyCard, load_policy, save_policy
from offnominal.agents.files import DamagedFile  # type: ignore[attr-defined]
from offnominal.core.checksum import NoChecksum
from offnominal.core.errors import MissingFile

SPACE = Box(-2.0, 2.0, (3,), np.float32)


@pytest.fixture
def saved(tmp_path):
    policy = NetworkPolicy.random(5, SPACE, hidden=(8, 8), seed=3)
    card = PolicyCard(world="Test-v0", algorithm="none", low=(-2.0,) * 3, high=(2.0,) * 3, settings={"rate": 1e-3})
    return tmp_path / "policy", policy, save_policy(tmp_path / "policy", policy, card)


def test_a_policy_comes_back_with_the_same_actions_and_card(saved):
    path, policy, card = saved
    again, read = load_policy(path)
    seen = np.linspace(-1, 1, 35, dtype=np.float32).reshape(7, 5)
    np.testing.assert_array_equal(again.act(seen, None)[0], policy.act(seen, None)[0])
    assert read == card
    assert read.settings == {"rate": 1e-3}


def test_the_ending_of_the_name_does_not_matter(saved):
    path, _, card = saved
    assert load_policy(path.with_suffix(".safetensors"))[1] == load_policy(path.with_suffix(".json"))[1] == card


def test_a_flipped_byte_is_noticed(saved):
    path, *_ = saved
    weights = path.with_suffix(".safetensors")
    content = bytearray(weights.read_bytes())
    content[-5] ^= 1
    weights.write_bytes(bytes(content))
    with pytest.raises(DamagedFile, match="SHA-256"):
        load_policy(path)


def test_a_truncated_card_is_noticed(saved):
    path, *_ = saved
    card = path.with_suffix(".json")
    card.write_text(card.read_text()[:-20])
    with pytest.raises(DamagedFile, match="not valid JSON"):
        load_policy(path)


def test_a_card_of_another_format_is_refused(saved):
    path, *_ = saved
    card = path.with_suffix(".json")
    card.write_text(json.dumps({**json.loads(card.read_text()), "format": 99}))
    with pytest.raises(DamagedFile, match="format 99"):
        load_policy(path)


def test_a_changed_card_is_noticed(saved):
    path, *_ = saved
    card = path.with_suffix(".json")
    card.write_text(card.read_text().replace("2.0", "3.0"))
    with pytest.raises(DamagedFile, match=r"policy\.json was changed"):
        load_policy(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFile, match=r"nowhere\.safetensors does not exist"):
        load_policy(tmp_path / "nowhere")


def test_nothing_unfinished_is_left(saved):
    path, *_ = saved
    assert sorted(file.name for file in path.parent.iterdir()) == ["policy.json", "policy.safetensors"]


def test_a_card_of_an_early_version_has_no_hash_and_is_read_with_a_warning(saved):
    path, _, card = saved
    file = path.with_suffix(".json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "card_sha256": ""}))
    with pytest.warns(NoChecksum, match=r"policy.json has no checksum"):
        assert load_policy(path)[1] == card.replace(card_sha256="")
