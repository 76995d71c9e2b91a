"""State dicts of torch modules become policies with the same actions, and nothing in their file runs."""

import pickle

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from safetensors.numpy import save_file

from offnominal.agents import NetworkPolicy, RandomPolicy
from offnominal.core.errors import DamagedFile, InvalidParameter

SPACE = Box(np.float32([-1, 0]), np.float32([1, 3]))


def linear(inputs, outputs, seed=0):
    draw = np.random.default_rng(seed)
    return draw.normal(size=(outputs, inputs)), draw.normal(size=outputs)


def state_of(*names_and_sizes):
    state = {}
    for index, (name, inputs, outputs) in enumerate(names_and_sizes):
        state[f"{name}.weight"], state[f"{name}.bias"] = linear(inputs, outputs, index)
    return state


CLEANRL_SAC = state_of(("fc1", 4, 8), ("fc2", 8, 8), ("fc_mean", 8, 2), ("fc_logstd", 8, 2))
CLEANRL_PPO = {
    "actor_logstd": np.zeros((1, 2)),
    **state_of(("critic.0", 4, 8), ("critic.2", 8, 1), ("actor_mean.0", 4, 8), ("actor_mean.2", 8, 2)),
}


def forward(state, names, x, activation):
    for name in names[:-1]:
        x = activation(x @ state[f"{name}.weight"].T + state[f"{name}.bias"])
    return x @ state[f"{names[-1]}.weight"].T + state[f"{names[-1]}.bias"]


def seen():
    return np.random.default_rng(5).normal(size=(20, 4)).astype(np.float32)


def test_a_cleanrl_agent_of_sac_acts_as_its_module():
    state = CLEANRL_SAC | {"action_scale": np.array([[1.0, 1.5]]), "action_bias": np.array([[0.0, 1.5]])}
    names = ["fc1", "fc2", "fc_mean"]
    policy = NetworkPolicy.from_state_dict(state, SPACE, activation="relu", squash=True, layers=names)
    raw = np.tanh(forward(state, names, seen().astype(float), lambda x: np.maximum(x, 0)))
    np.testing.assert_allclose(policy.act(seen(), None)[0], [0, 1.5] + np.array([1, 1.5]) * raw, atol=1e-5)


def test_a_cleanrl_agent_of_ppo_acts_as_its_module_with_its_statistics(tmp_path):
    statistics = {"mean": [0.1, 0.2, 0.3, 0.4], "var": [1.0, 2.0, 3.0, 4.0]}
    policy = NetworkPolicy.from_state_dict(
        CLEANRL_PPO, SPACE, activation="tanh", layers="actor_mean", normaliser=statistics
    )
    normalised = (seen() - np.array(statistics["mean"])) / np.sqrt(np.array(statistics["var"]) + 1e-8)
    raw = forward(CLEANRL_PPO, ["actor_mean.0", "actor_mean.2"], normalised, np.tanh)
    np.testing.assert_allclose(policy.act(seen(), None)[0], np.clip(raw, SPACE.low, SPACE.high), atol=1e-5)
    save_file({name: np.float32(values) for name, values in CLEANRL_PPO.items()}, tmp_path / "agent.safetensors")
    again = NetworkPolicy.from_state_dict(
        tmp_path / "agent.safetensors", SPACE, activation="tanh", layers="actor_mean", normaliser=statistics
    )
    np.testing.assert_array_equal(again.act(seen(), None)[0], policy.act(seen(), None)[0])


def test_discrete_actions_are_those_with_the_largest_output():
    state = state_of(("network.0", 4, 8), ("network.2", 8, 3))
    policy = NetworkPolicy.from_state_dict(state, Discrete(3, start=5), activation="relu")
    values = forward(state, ["network.0", "network.2"], seen().astype(float), lambda x: np.maximum(x, 0))
    np.testing.assert_array_equal(policy.act(seen(), None)[0], 5 + np.argmax(values, axis=1))
    assert policy(seen()[0]) == 5 + np.argmax(values[0])


def test_a_torch_module_and_its_file_come_in(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    wide = Box(-np.inf, np.inf, (2,))
    expected = module(torch.as_tensor(seen())).detach().numpy()
    torch.save(module.state_dict(), tmp_path / "plain.pt")
    torch.save((module.state_dict(), {"critic.weight": torch.ones(1)}), tmp_path / "cleanrl.pt")
    for source in (module.state_dict(), tmp_path / "plain.pt", tmp_path / "cleanrl.pt"):
        policy = NetworkPolicy.from_state_dict(source, wide, activation="tanh")
        np.testing.assert_allclose(policy.act(seen(), None)[0], expected, atol=1e-5)
    torch.save(module, tmp_path / "module.pt")
    with pytest.raises(DamagedFile, match="nothing of it was run"):
        NetworkPolicy.from_state_dict(tmp_path / "module.pt", wide, activation="tanh")
    (tmp_path / "agent.pt").write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(DamagedFile, match=r"agent\.pt is not a table of tensors"):
        NetworkPolicy.from_state_dict(tmp_path / "agent.pt", wide, activation="tanh")


@pytest.mark.parametrize(
    ("state", "options", "said"),
    [
        (CLEANRL_SAC, {}, r"fc1, fc2, fc_mean, fc_logstd do not follow each other; name .* fc1 \(8, 4\), fc2 \(8, 8\)"),
        (CLEANRL_SAC, {"layers": ["fc1", "mu"]}, "mu is not a linear layer"),
        (CLEANRL_PPO, {"layers": "actor"}, "do not follow each other"),
        (CLEANRL_PPO, {"layers": "critic"}, "the network has 1 outputs for an action of shape"),
        ({"conv.weight": np.ones((4, 3, 2, 2)), "conv.bias": np.ones(4)}, {}, "conv is not a linear layer"),
        ({}, {}, "state dict has no layers"),
        ({"a.weight": np.full((2, 4), np.nan), "a.bias": np.zeros(2)}, {}, "not finite"),
        ({"a.weight": "text", "a.bias": np.zeros(2)}, {}, r"a\.weight in the state dict is 'text'"),
        ([1], {}, "expected tensors by name"),
        (CLEANRL_PPO, {"layers": "actor_mean", "activation": "gelu"}, "choose 'relu' or 'tanh'"),
        (
            CLEANRL_SAC | {"action_scale": np.ones(2), "action_bias": np.zeros(2)},
            {"layers": ["fc1", "fc2", "fc_mean"]},
            r"from \[-1.0, -1.0\] to \[1.0, 1.0\], those of the space from \[-1.0, 0.0\]",
        ),
    ],
)
def test_a_wrong_state_dict_is_refused_with_the_reason(state, options, said):
    with pytest.raises(InvalidParameter, match=said):
        NetworkPolicy.from_state_dict(state, SPACE, **{"activation": "relu", **options})


def test_a_policy_can_be_called_with_single_observations():
    policy = RandomPolicy(SPACE)
    state = policy.start(np.array([7]), np.array([0]))
    first, state = policy.act(np.zeros((1, 4)), state)
    second, _ = policy.act(np.zeros((1, 4)), state)
    for _ in range(2):
        policy.reset(seed=7)
        np.testing.assert_array_equal(policy(np.zeros(4)), first[0])
        np.testing.assert_array_equal(policy([0.0, 0.0, 0.0, 0.0]), second[0])
    fresh = RandomPolicy(SPACE)
    np.testing.assert_array_equal(fresh(np.zeros(4)), fresh.act(np.zeros((1, 4)), None)[0][0])
    with pytest.raises(InvalidParameter, match="expected numbers"):
        policy({"position": 1})
    with pytest.raises(InvalidParameter, match="4 inputs; observations have 8"):
        NetworkPolicy.random(4, SPACE)(np.zeros((2, 4)))
