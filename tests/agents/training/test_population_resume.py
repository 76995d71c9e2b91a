"""A training of several seeds that is killed goes on to the numbers of one that was not."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.files import policy_hash  # noqa: E402
from offnominal.agents.training.checkpoint import save_checkpoint  # noqa: E402
from offnominal.agents.training.populations import loop  # noqa: E402
from offnominal.agents.training.populations.loop import learn_population  # noqa: E402
from offnominal.agents.training.populations.simulations import PopulationSimulations  # noqa: E402
from offnominal.agents.training.ppo_settings import PPOSettings  # noqa: E402
from offnominal.agents.training.settings import TrainingSettings  # noqa: E402
from offnominal.core.errors import DamagedFile, InvalidParameter  # noqa: E402
from offnominal.core.files import sha256_of  # noqa: E402

pytestmark = pytest.mark.long

SMALL = TrainingSettings(
    steps=400, n_envs=8, gradient_steps=3, hidden=(16, 16), critic_hidden=(16, 16), batch_size=16, learning_starts=100,
    buffer_size=400, standardize_observations=True,
)  # fmt: skip
ON_POLICY = PPOSettings(
    steps=400, n_envs=8, rollout_steps=16, n_epochs=2, batch_size=32, standardize_observations=True,
    learning_starts=100,
)  # fmt: skip
KINDS = {
    "tqc": ("SAP-Goal0-v0", SMALL),
    "tqc with all options": (
        "URM-Reach-v0",
        SMALL.replace(hindsight=0.5, held_actions=0.1, differences=((6, 0), (7, 1))),
    ),
    "sac": ("SAP-Goal0-v0", SMALL.replace(algorithm="sac")),
    "td3": ("SAP-Goal0-v0", SMALL.replace(algorithm="td3")),
    "ppo": ("SAP-Goal0-v0", ON_POLICY),
}


def evaluator(policy):
    """Judge a policy by its weights."""
    done = Future()
    done.set_result((-float(np.abs(policy.layers[-1][0]).sum()), 0.5))
    return done


class Killed(Exception):
    """Stands for kill -9."""


def learn(world, settings, path, **given):
    return learn_population(
        world,
        settings,
        (3, 5),
        evaluator,
        device="cpu",
        evaluations=4,
        checkpoint=path,
        checkpoint_seconds=0.0,
        **given,
    )


def result(found):
    curves = [[(each.steps, each.mean_return, each.success) for each in curve] for _, curve in found]
    return [policy_hash(policy) for policy, _ in found], curves


@pytest.mark.parametrize(
    ("kind", "killed_at"),
    [*(pytest.param("tqc", at, marks=pytest.mark.slow) for at in (5, 47)), *((kind, 30) for kind in KINDS)],
)
def test_a_killed_training_has_the_results_of_one_that_was_not(kind, killed_at, tmp_path, monkeypatch):
    world, settings = KINDS[kind]
    expected = result(learn_population(world, settings, (3, 5), evaluator, device="cpu", evaluations=4))
    saves = iter(range(1, 1000))
    plain = save_checkpoint

    def save(run, path):
        if next(saves) > killed_at:
            raise Killed
        plain(run, path)

    with monkeypatch.context() as patched:
        patched.setattr(loop, "save_checkpoint", save)
        with pytest.raises(Killed):
            learn(world, settings, tmp_path / "c")
    found = result(learn(world, settings, tmp_path / "c"))
    assert found == expected
    assert len({*found[0]}) == 2
    again = result(learn(world, settings, tmp_path / "c"))
    assert again == expected, "a finished training is not repeated"
    assert (tmp_path / "c").stat().st_size < 100_000, "a finished training keeps no replay buffer"


def test_a_checkpoint_of_another_training_or_a_damaged_one_is_refused(tmp_path):
    path = tmp_path / "c"
    settings = SMALL.replace(steps=160)
    learn("SAP-Goal0-v0", settings, path)
    for change in ({"learning_rate": 0.01}, {"steps": 320}, {"algorithm": "td3"}):
        with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
            learn("SAP-Goal0-v0", settings.replace(**change), path)
    with pytest.raises(InvalidParameter, match="not a checkpoint of these settings"):
        learn("SAP-Goal1-v0", settings, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedFile, match="SHA-256"):
        learn("SAP-Goal0-v0", settings, path)


IN_PROCESSES = "CAR-LaneKeep-v0"
"""The world with the longest state; in processes the states of all worlds take the same way."""


@pytest.mark.parametrize(
    ("world", "workers"),
    [
        *((world, 0) for world in ("SAP-Goal1-v0", "MJC-HalfCheetah-v0", "URM-PnP-v0", "URR-Reach-v0", IN_PROCESSES)),
        (IN_PROCESSES, 2),
        *(
            pytest.param(world, 2, marks=pytest.mark.slow)
            for world in ("SAP-Goal1-v0", "MJC-HalfCheetah-v0", "URM-PnP-v0", "URR-Reach-v0")
        ),
    ],
)
def test_simulations_return_to_the_middle_of_their_episodes(world, workers):
    def simulations():
        return PopulationSimulations(world, (1, 2), 3, workers, {})

    generator = np.random.default_rng(0)
    first, second = simulations(), simulations()
    try:
        for _ in range(55):
            first.step(generator.uniform(-1, 1, (2, 3, first.widths[1])).astype(np.float32))
        second.restore(first.state())
        np.testing.assert_array_equal(first.observations, second.observations)
        for _ in range(60):
            actions = generator.uniform(-1, 1, (2, 3, first.widths[1])).astype(np.float32)
            for ours, theirs in zip(first.step(actions), second.step(actions), strict=True):
                np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(first.random_actions(), second.random_actions())
    finally:
        first.close()
        second.close()


@pytest.mark.slow
def test_train_seeds_resumes_after_a_kill_to_the_same_files(tmp_path):
    name = "SAP-Goal0-v0--sac"

    def start(folder):
        words = [
            "SAP-Goal0-v0",
            "--algorithm",
            "sac",
            "--seed",
            "3",
            "--seed",
            "5",
            "--steps",
            "4000",
            "--device",
            "cpu",
        ]
        words += ["--evaluations", "8", "--evaluators", "1", "--checkpoint-seconds", "0.1", "--cards", "without"]
        words += ["--set", "batch_size=16", "--set", "hidden=[16,16]", "--set", "critic_hidden=[16,16]"]
        command = [sys.executable, "-m", "offnominal", "train-seeds", *words, "--out", str(folder)]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
        )

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).wait(timeout=600) == 0
    process = start(killed)
    curves = killed / f"{name}.curves.json"
    deadline = time.monotonic() + 600
    while not (curves.exists() and (killed / f"{name}.checkpoint").exists()):
        assert process.poll() is None, "it ended before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert max(each["steps"] for each in json.loads(curves.read_text())["curves"]["3"]) < 4000
    resumed = start(killed)
    output = resumed.communicate(timeout=600)[0]
    assert resumed.returncode == 0, output
    assert "Resuming from" in output
    for seed in (3, 5):
        ours, theirs = (folder / f"{name}-{seed}.safetensors" for folder in (killed, whole))
        assert sha256_of(ours) == sha256_of(theirs)
    found = [json.loads((folder / f"{name}.curves.json").read_text()) for folder in (killed, whole)]
    for each in found:
        for curve in each["curves"].values():
            assert len(curve) == 8
            for evaluation in curve:
                del evaluation["seconds"]
    assert found[0] == found[1]
