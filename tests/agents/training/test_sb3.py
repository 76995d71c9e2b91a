"""Stable-Baselines3 trains on our batched worlds as it does on a list of single ones."""

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")

from stable_baselines3 import SAC  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize  # noqa: E402

import offnominal as off  # noqa: E402
from offnominal.agents import expert  # noqa: E402
from offnominal.agents.training.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402
from offnominal.agents.training.sb3 import SB3Training, build, greedy, learn  # noqa: E402
from offnominal.agents.training.sb3_vec_env import SB3VecEnv  # noqa: E402
from offnominal.agents.training.settings import ALGORITHMS, TrainingSettings, published  # noqa: E402
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedEnvironment  # noqa: E402
from offnominal.worlds.catalogue import make_vector  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
SMALL = TrainingSettings(
    steps=300, n_envs=5, gradient_steps=1, batch_size=32, hidden=(32, 32), critic_hidden=(32, 32), learning_starts=100
)


def rows(n=4, world="SAP-Goal0-v0", **options):
    return SB3VecEnv(make_vector(world, n, **options))


def model_of(settings, world="SAP-Goal0-v0"):
    return build(rows(settings.n_envs, world), settings, CPU)


def observations(model, n=50):
    return np.random.default_rng(0).normal(size=(n, *model.observation_space.shape)).astype(np.float32)


@pytest.mark.parametrize(("world", "limit"), [("SAP-Goal0-v0", 12), ("MJC-CartpoleSwingup-v0", 30)])
def test_every_step_is_that_of_a_list_of_single_environments(world, limit):
    ours = rows(4, world, max_episode_steps=limit)
    singles = DummyVecEnv([lambda: gymnasium.make(f"offnominal/{world}", max_episode_steps=limit)] * 4)
    policy = expert(world)
    for envs in (ours, singles):
        envs.seed(7)
    seen = ours.reset()
    np.testing.assert_array_equal(seen, singles.reset())
    assert ours.reset_infos == singles.reset_infos
    ours.reset_infos = [{} for _ in range(4)]
    reasons = []
    for _ in range(70):
        actions = policy.act(seen, None)[0]
        seen, rewards, dones, infos = ours.step(actions)
        expected, earned, over, told = singles.step(actions)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(rewards, earned)
        np.testing.assert_array_equal(dones, over)
        assert rewards.dtype == earned.dtype
        np.testing.assert_equal(infos, told)
        reasons += [info["TimeLimit.truncated"] for info in np.array(infos)[dones]]
    assert ours.reset_infos == singles.reset_infos
    assert any(reasons)
    assert world != "SAP-Goal0-v0" or not all(reasons)


def test_a_faulty_world_is_that_of_single_faulty_environments():
    fault = {"anomaly": "observation/offset", "strength": 0.5, "schedule": 3}
    ours = SB3VecEnv(off.make_vec("SAP-Goal0-v0", 2, **fault, max_episode_steps=8))
    singles = DummyVecEnv([lambda: off.make("SAP-Goal0-v0", **fault, max_episode_steps=8)] * 2)
    for envs in (ours, singles):
        envs.seed(0)
    np.testing.assert_array_equal(ours.reset(), singles.reset())
    for _ in range(20):
        (seen, *_, infos), (expected, *_, told) = (envs.step(np.ones((2, 2), np.float32)) for envs in (ours, singles))
        np.testing.assert_array_equal(seen, expected)
        for mine, theirs in zip(infos, told, strict=True):
            np.testing.assert_equal(mine.get("terminal_observation"), theirs.get("terminal_observation"))
    assert ours.render_mode is None


def test_other_vector_environments_are_refused():
    with pytest.raises(UnsupportedEnvironment, match="give a vector environment of `make_vec`"):
        SB3VecEnv(gymnasium.make_vec("CartPole-v1", num_envs=2))


def test_without_a_seed_the_next_episodes_start():
    envs, again = rows(), rows()
    envs.seed(3)
    again.seed(3)
    first, second = envs.reset(), envs.reset()
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(again.reset(), first)
    np.testing.assert_array_equal(again.reset(), second)


def test_rows_share_the_attributes_of_one_world():
    envs = rows(3)
    assert envs.get_attr("observation_space", indices=[0, 2]) == [envs.observation_space] * 2
    assert envs.get_attr("max_episode_steps") == [50] * 3
    assert envs.has_attr("card")
    assert not envs.has_attr("nonsense")
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [False] * 3
    envs.set_attr("max_episode_steps", 9)
    assert envs.envs.max_episode_steps == 9
    assert [card.id for card in envs.get_attr("card")] == ["SAP-Goal0-v0"] * 3
    assert len(envs.env_method("physics_parameter", "damping")) == 3
    for change in (
        lambda: envs.set_attr("max_episode_steps", 5, indices=0),
        lambda: envs.env_method("close", indices=[1]),
    ):
        with pytest.raises(InvalidParameter, match="all 3 share one world"):
            change()


def test_its_wrappers_and_its_evaluation_accept_the_rows():
    envs = VecNormalize(VecMonitor(rows(4)))
    model = SAC("MlpPolicy", envs, buffer_size=10, policy_kwargs={"net_arch": [8]})
    returns, lengths = evaluate_policy(model, envs, 6, return_episode_rewards=True)
    assert len(returns) == 6
    assert all(0 < length <= 50 for length in lengths)


def test_images_of_the_rows_are_tiled(monkeypatch):
    envs = rows(2, render_mode="rgb_array")
    images = (np.zeros((4, 6, 3), np.uint8), np.full((4, 6, 3), 9, np.uint8))
    monkeypatch.setattr(envs.envs, "render", lambda: images)
    np.testing.assert_array_equal(envs.render(), np.concatenate(images))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("world", "hidden"), [("SAP-Goal0-v0", (32, 32)), ("MJC-CartpoleSwingup-v0", (24, 16, 8))])
def test_the_exported_policy_acts_as_the_model(algorithm, world, hidden):
    model = model_of(SMALL.replace(algorithm=algorithm, hidden=hidden), world)
    model.learn(150)
    seen = observations(model)
    expected = model.predict(seen, deterministic=True)[0]
    np.testing.assert_allclose(greedy(model).act(seen, None)[0], expected, atol=1e-5)
    assert np.abs(expected).max() > 0.01


def test_an_exported_policy_does_not_change_with_further_training():
    model = model_of(SMALL)
    policy = greedy(model)
    before = [(weight.copy(), bias.copy()) for weight, bias in policy.layers]
    model.learn(150)
    for (weight, bias), (old_weight, old_bias) in zip(policy.layers, before, strict=True):
        np.testing.assert_array_equal(weight, old_weight)
        np.testing.assert_array_equal(bias, old_bias)


def test_the_best_policy_of_the_given_number_of_evaluations_is_kept(tmp_path):
    marks = iter([1.0, 5.0, 2.0, 3.0])
    judged, told = [], []

    def evaluate_policy(policy):
        judged.append(policy)
        return next(marks), 0.5

    best, curve = learn(
        "SAP-Goal0-v0",
        SMALL,
        evaluate_policy,
        device="cpu",
        evaluations=4,
        checkpoint=tmp_path / "c",
        report=told.append,
    )
    assert best is judged[1]
    assert told == curve
    assert [(each.steps, each.mean_return, each.success) for each in curve] == [
        (75, 1.0, 0.5),
        (150, 5.0, 0.5),
        (225, 2.0, 0.5),
        (300, 3.0, 0.5),
    ]
    assert (tmp_path / "c").exists()


def test_a_seed_fixes_the_training_and_another_changes_it():
    first, second, other = (
        learn("SAP-Goal0-v0", SMALL.replace(seed=seed), lambda policy: (0.0, 0.0), device="cpu", evaluations=1)[0]
        for seed in (4, 4, 5)
    )
    np.testing.assert_array_equal(first.layers[0][0], second.layers[0][0])
    assert not np.array_equal(first.layers[0][0], other.layers[0][0])


def test_neighbouring_seeds_share_no_episodes_with_each_other_or_with_evaluations():
    seeds = []
    for seed in (0, 1):
        model = model_of(SMALL.replace(seed=seed))
        model.env.reset()
        seeds += model.env.envs.seeds.tolist()
    assert len(set(seeds)) == 10
    assert min(seeds) > 100_000_000


def test_training_resumes_from_a_checkpoint(tmp_path):
    first = model_of(SMALL)
    save_checkpoint(SB3Training(first), tmp_path / "c")
    nothing_learned = SMALL.replace(learning_starts=1_000, seed=9)
    policy, _ = learn(
        "SAP-Goal0-v0", nothing_learned, lambda policy: (0.0, 0.0), device="cpu", checkpoint=tmp_path / "c"
    )
    np.testing.assert_array_equal(policy.layers[0][0], greedy(first).layers[0][0])


def test_training_stops_in_time():
    settings = SMALL.replace(steps=3_000)
    _, curve = learn("SAP-Goal0-v0", settings, lambda policy: (0.0, 0.0), device="cpu", minutes=0.05 / 60)
    assert len(curve) == 1
    assert curve[0].steps < 3_000


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_model_resumes_from_its_checkpoint(algorithm, tmp_path):
    settings = SMALL.replace(algorithm=algorithm, anneal_learning_rate=False, learning_rate=1e-3)
    first = model_of(settings)
    first.learn(150)
    save_checkpoint(SB3Training(first), tmp_path / "c")
    second = model_of(settings.replace(seed=9))
    load_checkpoint(SB3Training(second), tmp_path / "c")
    second.replay_buffer = first.replay_buffer
    second._logger = first._logger
    for model in (first, second):
        torch.manual_seed(0)
        np.random.seed(0)  # noqa: NPY002
        model.train(4, 32)
    for one, two in zip(first.policy.parameters(), second.policy.parameters(), strict=True):
        torch.testing.assert_close(one, two)


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    save_checkpoint(SB3Training(model_of(SMALL)), tmp_path / "c")
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        load_checkpoint(SB3Training(model_of(SMALL.replace(hidden=(16,)))), tmp_path / "c")
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        load_checkpoint(SB3Training(model_of(SMALL.replace(algorithm="td3"))), tmp_path / "c")


def test_a_damaged_checkpoint_is_neither_resumed_nor_replaced(tmp_path):
    save_checkpoint(SB3Training(model_of(SMALL)), tmp_path / "c")
    content = bytearray((tmp_path / "c").read_bytes())
    content[-100] ^= 1
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(DamagedFile, match="is damaged"):
        learn("SAP-Goal0-v0", SMALL, lambda policy: (0.0, 0.0), device="cpu", checkpoint=tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == content


def test_the_published_settings_reach_the_model():
    model = model_of(published("SAP-Goal1-v0", "tqc").replace(steps=1000))
    assert (model.n_envs, model.gamma, model.tau, model.batch_size, model.learning_starts) == (5, 0.99, 0.005, 256, 100)
    assert (model.gradient_steps, model.train_freq.frequency) == (1, 1)
    assert (model.top_quantiles_to_drop_per_net, model.critic.n_critics, model.critic.n_quantiles) == (2, 2, 25)
    assert model.target_entropy == -2.0
    assert (model.lr_schedule(1.0), model.lr_schedule(0.5)) == (3e-4, 3e-4)
    assert model.actor.net_arch == [256, 256]
    assert published("SAP-Goal1-v0", "tqc").steps == 250_000

    mujoco = published("MJC-HalfCheetah-v0", "tqc")
    model = model_of(mujoco.replace(steps=1000), "MJC-HalfCheetah-v0")
    assert (mujoco.steps, mujoco.buffer_size) == (1_000_000, 1_000_000)
    assert (model.gamma, model.batch_size, model.learning_starts) == (0.98, 512, 1000)
    assert (model.lr_schedule(1.0), model.lr_schedule(0.25), model.lr_schedule(0.0)) == (1e-3, 2.5e-4, 0.0)
    assert model.actor.net_arch == [512, 512, 512]
    assert [len(bias) for name, bias in model.critic.named_parameters() if name.endswith("bias")] == [
        512,
        512,
        512,
        25,
    ] * 2
    released = published("MJC-Reacher3D-v0", "tqc")
    assert (released.steps, released.hidden, released.learning_rate) == (1_000_000, (256, 256), 3e-4)


def test_the_rate_falls_with_the_time_that_is_over():
    model = build(rows(5), SMALL.replace(anneal_learning_rate=True, learning_rate=1.0), CPU, lambda: 0.75)
    assert (model.lr_schedule(0.5), model.lr_schedule(0.1)) == (0.25, 0.1)


@pytest.mark.parametrize(
    ("changes", "device", "values"),
    [
        ({"steps": 3}, "cpu", "fewer than n_envs, 5"),
        ({"critic_layer_norm": True}, "cpu", "no layer normalisation"),
        ({}, "tpu", "choose 'cpu'"),
    ],
)
def test_training_that_cannot_start_is_refused(changes, device, values):
    with pytest.raises(InvalidParameter, match=values):
        learn("SAP-Goal0-v0", SMALL.replace(**changes), lambda policy: (0.0, 0.0), device=device)
