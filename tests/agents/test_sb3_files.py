"""Agents of Stable-Baselines3 come in with the same actions, and nothing in their file runs."""

import base64
import io
import json
import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.spaces.utils import flatten

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")

from sb3_contrib import TQC  # noqa: E402
from stable_baselines3 import A2C, DDPG, DQN, PPO, SAC, TD3  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

from offnominal.agents import PolicyCard, import_sb3, load_policy, save_policy, sb3_files  # noqa: E402
from offnominal.agents.sb3_files import read_sb3  # noqa: E402
from offnominal.core.errors import DamagedFile, InvalidParameter  # noqa: E402
from offnominal.worlds.catalogue import gymnasium_id, make_world  # noqa: E402

pytestmark = pytest.mark.long

KINDS = {"tqc": TQC, "sac": SAC, "td3": TD3, "ddpg": DDPG}
CART = "MJC-CartpoleSwingup-v0"
CAMERA = Box(0, 255, (3, 36, 36), np.uint8)
BOUNDED = Box(np.float32([-1, -2]), np.float32([0.2, 0.4]))
GOAL = Dict({"observation": Box(-9, 9, (3,)), "desired_goal": Box(-9, 9, (2,)), "gripper": Discrete(3)})


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


class Spaces(gymnasium.Env):
    """An environment of which only the spaces matter."""

    def __init__(self, observation, action):
        self.observation_space, self.action_space = observation, action


def cart():
    world = make_world(CART, 1)
    return Spaces(world.observation_space, world.action_space)


def model_of(kind, **options):
    return kind("MlpPolicy", cart(), buffer_size=10, seed=1, **options)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    path = tmp_path_factory.mktemp("agents") / "agent.zip"
    model_of(SAC, policy_kwargs={"net_arch": [8, 8]}).save(path)
    return path


def rewritten(agent, folder, compression=zipfile.ZIP_STORED, **members):
    """Return a copy of a file with other members; None takes one out."""
    path = folder / "changed.zip"
    with zipfile.ZipFile(agent) as old, zipfile.ZipFile(path, "w", compression) as new:
        content = {name: old.read(name) for name in old.namelist()} | members
        for name, value in content.items():
            if value is not None:
                new.writestr(name, value)
    return path


def saved(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def weights_of(agent):
    with zipfile.ZipFile(agent) as archive:
        return torch.load(io.BytesIO(archive.read("policy.pth")), weights_only=True)


def about(agent):
    with zipfile.ZipFile(agent) as archive:
        return json.loads(archive.read("data"))


@pytest.mark.parametrize("algorithm", KINDS)
@pytest.mark.parametrize("hidden", [[256, 256], [512, 512, 512]], ids=str)
def test_an_imported_agent_acts_as_it_did(algorithm, hidden, tmp_path):
    model = model_of(KINDS[algorithm], policy_kwargs={"net_arch": hidden})
    model.save(tmp_path / "agent.zip")
    assert read_sb3(tmp_path / "agent.zip").algorithm == algorithm
    seen = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
    expected = model.predict(seen, deterministic=True)[0]
    np.testing.assert_allclose(import_sb3(tmp_path / "agent.zip", CART).act(seen, None)[0], expected, atol=1e-5)
    assert np.ptp(expected) > 0.01


def test_its_activation_is_read_without_unpickling(tmp_path):
    model = model_of(SAC, policy_kwargs={"net_arch": [16], "activation_fn": torch.nn.Tanh})
    model.save(tmp_path / "agent.zip")
    seen = 3 * np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
    policy = import_sb3(str(tmp_path / "agent.zip"), CART)
    np.testing.assert_allclose(policy.act(seen, None)[0], model.predict(seen, deterministic=True)[0], atol=1e-5)
    assert policy.activation == "tanh"


def test_its_plain_settings_come_along(agent):
    found = read_sb3(agent)
    assert found.settings == {
        "seed": 1,
        "n_envs": 1,
        "learning_rate": 3e-4,
        "gamma": 0.99,
        "tau": 0.005,
        "batch_size": 256,
        "buffer_size": 10,
        "learning_starts": 100,
    }
    assert found.limits == ([-3.0], [3.0])


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_malicious_policy_is_refused_and_does_not_run(agent, tmp_path):
    sprung = tmp_path / "sprung"
    for trap in (saved(Trap(sprung)), saved({**weights_of(agent), "actor.mu.weight": Trap(sprung)})):
        with pytest.raises(DamagedFile, match=r"not a table of tensors.*nothing of it was run"):
            read_sb3(rewritten(agent, tmp_path, **{"policy.pth": trap}))
    assert not sprung.exists()
    pickle.loads(pickle.dumps(Trap(sprung)))
    assert sprung.exists(), "the trap does not work, so this test shows nothing"


def test_pickled_settings_do_not_run(agent, tmp_path):
    sprung = tmp_path / "sprung"
    trap = base64.b64encode(pickle.dumps(Trap(sprung))).decode()
    objects = {name: {**value, ":serialized:": trap} for name, value in about(agent).items() if isinstance(value, dict)}
    path = rewritten(agent, tmp_path, data=json.dumps({**about(agent), **objects}))
    assert read_sb3(path).algorithm == "sac"
    assert not sprung.exists()
    assert objects


@pytest.mark.parametrize(
    "text",
    [None, b"", b"{half", b"[1]", b"\xff", b"[" * 200_000, json.dumps({"policy_kwargs": 3, "action_space": {}}), b"{}"],
    ids=["missing", "empty", "cut", "list", "binary", "deep", "odd", "nothing said"],
)
def test_an_activation_that_the_file_does_not_say_is_never_guessed(text, agent, tmp_path):
    path = rewritten(agent, tmp_path, data=text)
    for read in (read_sb3, lambda path: import_sb3(path, CART)):
        with pytest.raises(DamagedFile, match="state activation='relu' or activation='tanh'"):
            read(path)
    for stated in ("relu", "tanh"):
        found = read_sb3(path, activation=stated)
        assert (found.activation, found.limits, found.steps) == (stated, None, 0)
        assert import_sb3(path, CART, activation=stated).activation == stated


def test_a_stated_activation_must_be_that_of_the_file(agent, tmp_path):
    assert read_sb3(agent, activation="relu").activation == "relu"
    with pytest.raises(InvalidParameter, match=r"activation is 'tanh', but .*agent\.zip says ReLU"):
        read_sb3(agent, activation="tanh")
    with pytest.raises(InvalidParameter, match="expected one of 'relu', 'tanh'"):
        read_sb3(agent, activation="elu")
    text = about(agent)
    for odd in (None, 3, "", ["Tanh"]):
        text["policy_kwargs"] = {"activation_fn": odd}
        with pytest.raises(InvalidParameter, match="activation is unreadable"):
            read_sb3(rewritten(agent, tmp_path, data=json.dumps(text)))


def test_other_files_are_refused(agent, tmp_path):
    with pytest.raises(InvalidParameter, match="is not a file"):
        read_sb3(tmp_path / "nowhere.zip")
    with pytest.raises(InvalidParameter, match="is not a file"):
        read_sb3(tmp_path)
    path = tmp_path / "text.zip"
    path.write_text("not a zip")
    with pytest.raises(DamagedFile, match="cannot be read as a zip archive"):
        read_sb3(path)
    content = bytearray(agent.read_bytes())
    with zipfile.ZipFile(agent) as archive:
        content[archive.getinfo("policy.pth").header_offset + 2000] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match="CRC"):
        read_sb3(path)
    with pytest.raises(DamagedFile, match=r"has no policy.pth, only data, "):
        read_sb3(rewritten(agent, tmp_path, **{"policy.pth": None}))
    with pytest.raises(DamagedFile, match="not a table of tensors"):
        read_sb3(rewritten(agent, tmp_path, **{"policy.pth": b"not a zip"}))
    for content in (saved([1, 2]), saved({"actor.mu.weight": "text"}), saved({"a": torch.empty(3, device="meta")})):
        with pytest.raises(DamagedFile, match="not a table of tensors"):
            read_sb3(rewritten(agent, tmp_path, **{"policy.pth": content}))


def test_what_unpacks_to_too_much_is_refused(agent, tmp_path, monkeypatch):
    monkeypatch.setattr(sb3_files, "LARGEST", {"policy.pth": 20_000, "data": 20_000})
    assert read_sb3(agent).algorithm == "sac"
    bomb = rewritten(agent, tmp_path, zipfile.ZIP_DEFLATED, **{"policy.pth": bytes(30_000)})
    assert bomb.stat().st_size < 20_000
    with pytest.raises(DamagedFile, match=r"policy\.pth.* unpacks to 30,000 bytes; at most 20,000"):
        read_sb3(bomb)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data/0", bytes(30_000))
    with pytest.raises(DamagedFile, match=r"policy\.pth.* unpacks to 30,000"):
        read_sb3(rewritten(agent, tmp_path, **{"policy.pth": inner.getvalue()}))
    wide = saved({"actor.mu.weight": torch.ones(1).expand(100, 100)})
    with pytest.raises(DamagedFile, match=r"policy\.pth.* unpacks to 40,000"):
        read_sb3(rewritten(agent, tmp_path, **{"policy.pth": wide}))
    with pytest.raises(DamagedFile, match="data unpacks to 30,000"):
        read_sb3(rewritten(agent, tmp_path, zipfile.ZIP_DEFLATED, data=bytes(30_000)))


def test_no_more_is_unpacked_than_a_member_says_it_has(agent, tmp_path):
    content = rewritten(agent, tmp_path, zipfile.ZIP_DEFLATED, data=bytes(20_000_000)).read_bytes()
    said, lie = (20_000_000).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert content.count(said) == 2
    (tmp_path / "liar.zip").write_bytes(content.replace(said, lie))
    tracemalloc.start()
    with pytest.raises(DamagedFile, match="CRC"):
        read_sb3(tmp_path / "liar.zip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_another_world_is_refused(agent):
    with pytest.raises(InvalidParameter, match=r"4 observations to 1 actions, SAP-Goal0-v0 has 26 and 2"):
        import_sb3(agent, "SAP-Goal0-v0")


def test_other_limits_of_the_actions_are_refused(agent, tmp_path):
    text = about(agent)
    text["action_space"] |= {"low": "[-1.]", "high": "[1.]"}
    with pytest.raises(
        InvalidParameter, match=r"from \[-1.0\] to \[1.0\], those of MJC-CartpoleSwingup-v0 from \[-3.0\]"
    ):
        import_sb3(rewritten(agent, tmp_path, data=json.dumps(text)), CART)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: model_of(SAC, use_sde=True), "built from actor.log_std, actor.mu.0.bias"),
        (lambda: PPO("CnnPolicy", Spaces(CAMERA, Discrete(2)), n_steps=8, batch_size=8), "from features_extractor"),
        (lambda: model_of(SAC, policy_kwargs={"activation_fn": torch.nn.ELU}), "activation is ELU; only ReLU and Tanh"),
    ],
    ids=["state-dependent exploration", "images", "elu"],
)
def test_what_we_cannot_run_is_refused_by_name(make, said, tmp_path):
    make().save(tmp_path / "agent.zip")
    with pytest.raises(InvalidParameter, match=said):
        read_sb3(tmp_path / "agent.zip")


@pytest.mark.parametrize(
    ("kind", "observation", "action", "options"),
    [
        (PPO, Box(-9, 9, (4,)), BOUNDED, {}),
        (A2C, Box(-9, 9, (4,)), BOUNDED, {"policy_kwargs": {"net_arch": [8], "activation_fn": torch.nn.ReLU}}),
        (A2C, Box(-9, 9, (4,)), BOUNDED, {"use_sde": True}),
        (PPO, Box(-9, 9, (4,)), BOUNDED, {"use_sde": True, "policy_kwargs": {"squash_output": True}}),
        (PPO, Box(-9, 9, (2, 2)), Discrete(3), {}),
        (DQN, Box(-9, 9, (4,)), Discrete(3), {"policy_kwargs": {"net_arch": [8, 8]}}),
        (A2C, Discrete(6), Discrete(3), {}),
        (SAC, GOAL, BOUNDED, {"policy_kwargs": {"net_arch": [8]}}),
        (DDPG, GOAL, BOUNDED, {"policy_kwargs": {"net_arch": [8]}}),
    ],
    ids=["ppo", "a2c", "a2c-sde", "ppo-squashed", "ppo-discrete", "dqn", "a2c-states", "sac-goal", "ddpg-goal"],
)
def test_every_algorithm_acts_as_its_own_predict(kind, observation, action, options, tmp_path):
    small = {"n_steps": 4} if kind in (PPO, A2C) else {"buffer_size": 10}
    small |= {"batch_size": 4} if kind is PPO else {}
    name = "MultiInputPolicy" if isinstance(observation, Dict) else "MlpPolicy"
    model = kind(name, Spaces(observation, action), seed=3, **small, **options)
    with torch.no_grad():
        for tensor in model.policy.parameters():
            tensor.mul_(3.0)
    model.save(tmp_path / "agent.zip")
    found = read_sb3(tmp_path / "agent.zip")
    assert found.algorithm == kind.__name__.lower()
    policy = found.policy((observation, action))
    observation.seed(0)
    seen = [observation.sample() for _ in range(40)]
    expected = np.array([model.predict(each, deterministic=True)[0] for each in seen])
    given = np.array([each if isinstance(observation, Box) else flatten(observation, each) for each in seen])
    np.testing.assert_allclose(policy.act(given, None)[0], expected, atol=2e-5)
    np.testing.assert_allclose([policy(each) for each in given], expected, atol=2e-5)
    assert len(np.unique(expected, axis=0)) > 1
    if isinstance(action, Box):
        assert (policy.act(100 * given, None)[0] <= action.high).all()


def test_statistics_of_vecnormalize_are_applied_exactly(tmp_path):
    observation = Box(-np.inf, np.inf, (4,))
    envs = VecNormalize(DummyVecEnv([lambda: Spaces(observation, BOUNDED)]), clip_obs=2.0, epsilon=1e-4)
    draw, running = np.random.default_rng(0), envs.obs_rms
    assert not isinstance(running, dict)
    running.update(draw.normal(3.0, [0.1, 1.0, 5.0, 20.0], (200, 4)))
    model = PPO("MlpPolicy", envs, n_steps=4, batch_size=4, seed=0)
    model.save(tmp_path / "agent.zip")
    seen = draw.normal(3.0, [0.1, 1.0, 5.0, 20.0], (40, 4)).astype(np.float32)
    expected = model.predict(envs.normalize_obs(seen), deterministic=True)[0]
    table = {"mean": running.mean, "var": running.var, "clip_obs": envs.clip_obs, "epsilon": envs.epsilon}
    np.savez(tmp_path / "statistics.npz", **table)
    policies = [
        import_sb3(tmp_path / "agent.zip", (observation, BOUNDED), vecnormalize=source)
        for source in (table, envs, tmp_path / "statistics.npz")
    ]
    for policy in policies:
        np.testing.assert_array_equal(policy.normaliser(seen), envs.normalize_obs(seen))
        np.testing.assert_allclose(policy.act(seen, None)[0], expected, atol=1e-5)
    card = PolicyCard("Mine-v0", "ppo", (-1.0, -2.0), (0.2, 0.4), activation="tanh", squash=False)
    save_policy(tmp_path / "mine", policies[0], card)
    np.testing.assert_array_equal(load_policy(tmp_path / "mine")[0].act(seen, None)[0], policies[0].act(seen, None)[0])
    envs.save(str(tmp_path / "statistics.pkl"))
    with pytest.raises(InvalidParameter, match=r"pickle, which can run any code.*np\.savez"):
        import_sb3(tmp_path / "agent.zip", (observation, BOUNDED), vecnormalize=tmp_path / "statistics.pkl")


@pytest.mark.parametrize(
    ("statistics", "said"),
    [
        ({"mean": [0.0]}, "the statistics have mean; expected mean and var"),
        ({"mean": np.zeros(4), "var": np.ones(3)}, "4 means and 3 variances"),
        ({"mean": np.zeros(4), "var": [1, 1, -1, 1]}, "variance of channel 2 is negative"),
        ({"mean": np.zeros(5), "var": np.ones(5)}, "normaliser has 5 channels, the network 4 inputs"),
        ({"mean": [np.nan] * 4, "var": np.ones(4)}, "one finite number per channel"),
        ({"mean": ["a"], "var": [1]}, "expected numbers"),
        (3, "expected a .npz or .safetensors file"),
    ],
)
def test_wrong_statistics_are_refused(statistics, said, agent):
    with pytest.raises(InvalidParameter, match=said):
        import_sb3(agent, CART, vecnormalize=statistics)


def test_a_damaged_file_of_statistics_is_refused(agent, tmp_path):
    for name, content in (("a.npz", b"no"), ("a.safetensors", b"no"), ("b.npz", pickle.dumps(Trap(tmp_path / "x")))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DamagedFile, match="cannot be read as arrays of statistics"):
            import_sb3(agent, CART, vecnormalize=tmp_path / name)
    assert not (tmp_path / "x").exists()


def test_strange_layers_are_refused(agent, tmp_path):
    weights = weights_of(agent)
    moved = {name.replace("latent_pi.2", "latent_pi.1"): tensor for name, tensor in weights.items()}
    flat = {**weights, "actor.mu.weight": torch.ones(8)}
    endless = {**weights, "actor.mu.bias": torch.tensor([float("inf")])}
    ragged = {**weights, "actor.mu.weight": torch.ones(1, 7)}
    scaled = {**weights, "actor.features_extractor.scale": torch.ones(1)}
    for strange, said in (
        (scaled, r"built from actor\.features_extractor\.scale"),
        (moved, "plain layers"),
        (flat, "plain layers"),
        ({}, "built from nothing"),
        (endless, "not finite"),
        (ragged, r"layer 2 has weights \(7, 1\)"),
    ):
        with pytest.raises(InvalidParameter, match=said):
            import_sb3(rewritten(agent, tmp_path, **{"policy.pth": saved(strange)}), CART)


def test_the_package_imports_without_torch():
    code = "import sys, offnominal.agents\nassert not {'torch', 'stable_baselines3'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_agent_trained_in_our_gymnasium_environment_comes_in(tmp_path):
    env = gymnasium.make(gymnasium_id("SAP-Goal0-v0"))
    model = TD3("MlpPolicy", env, buffer_size=200, learning_starts=50, batch_size=32, seed=0)
    model.learn(90)
    model.save(tmp_path / "agent.zip")
    seen = np.random.default_rng(1).normal(size=(20, 26)).astype(np.float32)
    policy = import_sb3(tmp_path / "agent.zip", "SAP-Goal0-v0")
    np.testing.assert_allclose(policy.act(seen, None)[0], model.predict(seen, deterministic=True)[0], atol=1e-5)
    assert read_sb3(tmp_path / "agent.zip").steps == 90
