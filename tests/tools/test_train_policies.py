"""`tools/train_policies.py` trains a list to its end, leaves out what is done, and names what failed."""

import json
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed")

import train_policies

WORLD = "SAP-Goal0-v0"
TINY = ["--world", WORLD, "--seed", "0", "--seed", "1", "--device", "cpu"]


def job(folder: Path, *options: str, algorithm: str = "sac") -> train_policies.Job:
    return train_policies.Job(WORLD, algorithm, (0, 1), folder, options)


def write_curves(folder: Path, *curves: list[tuple[int, float]]) -> None:
    found = {
        str(seed): [{"steps": steps, "seconds": seconds, "mean_return": -1.0} for steps, seconds in curve]
        for seed, curve in enumerate(curves)
    }
    (folder / f"{WORLD}--sac.curves.json").write_text(json.dumps({"curves": found}))


def test_the_steps_are_those_of_the_options_or_the_preset(tmp_path: Path) -> None:
    assert job(tmp_path).steps == 500_000
    assert job(tmp_path, "--steps", "70").steps == 70
    assert job(tmp_path, "--set", "batch_size=8", "--set", "steps=90").steps == 90


def test_the_rest_is_estimated_from_the_curves(tmp_path: Path) -> None:
    training = job(tmp_path, "--steps", "1000")
    assert training.rate() is None
    write_curves(tmp_path, [(100, 5.0), (200, 10.0)])
    assert training.rate() is None, "a seed has no curve yet"
    write_curves(tmp_path, [(100, 5.0), (200, 10.0), (400, 20.0)], [(100, 5.0), (200, 10.0)])
    assert training.rate() == 20.0
    assert "200 of     1,000 steps        20 per second     0.7 min left" in train_policies.progress([training])[0]


def test_a_training_is_finished_when_it_has_its_cards_and_no_checkpoint(tmp_path: Path) -> None:
    training = job(tmp_path)
    for seed in (0, 1):
        assert not training.finished
        (tmp_path / f"{WORLD}--sac-{seed}.json").write_text("{}")
    assert training.finished
    (tmp_path / f"{WORLD}--sac.checkpoint").write_text("")
    assert not training.finished


@pytest.mark.slow
def test_a_list_is_trained_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, archive = tmp_path / "policies", tmp_path / "policies.tar"
    arguments = [str(folder), *TINY, "--algorithm", "sac", "--steps", "160", "--evaluations", "2"]
    assert train_policies.main([*arguments, "--stop-after", "0"]) == 1
    assert "the same command resumes them" in capsys.readouterr().out
    assert train_policies.main([*arguments, "--pack", str(archive)]) == 0
    assert "1 trainings, 0 of them done." in capsys.readouterr().out
    with tarfile.open(archive) as packed:
        names = set(packed.getnames())
    assert names >= {f"{WORLD}--sac-{seed}.{ending}" for seed in (0, 1) for ending in ("json", "safetensors")}
    assert names >= {f"{WORLD}--sac.curves.json", f"{WORLD}--sac.log"}
    assert train_policies.main(arguments) == 0
    assert "1 trainings, 1 of them done." in capsys.readouterr().out
    failing = [*arguments[:1], *TINY, "--algorithm", "td3", "--set", "batch_size=-1"]
    assert train_policies.main(failing) == 1
    assert "batch_size is -1" in capsys.readouterr().out
