"""A damaged or malicious file of a detector is refused by name, or gives finite scores; it never crashes or hangs."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

import offnominal
from offnominal.agents import expert
from offnominal.core.checksum import NoChecksum, read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, MissingFile, OffnominalError, UnknownName, UnsupportedFormat
from offnominal.core.files import read_json, sha256_of, write_json
from offnominal.detectors import detectors, load_detector, make_detector, save_detector
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

PROGRAM = Path(__file__).with_name("saved_detectors.py")
QUICK = {
    "compiled": (
        "KNN",
        "IsolationForest",
        "SubspaceForest",
        "PIDForest",
        "LODA",
        "LOF",
        "HBOS",
        "KernelSVM",
        "TDResidual",
    ),
    "networks": ("MLP-DM", "RIQN", "RealNVP", "VAE-KNN", "Fusion"),
}


def attacked(seed, most, *names):
    """Return what the program says of some detectors, in a process of its own."""
    path = os.pathsep.join([str(Path(offnominal.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
    place = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    call = [sys.executable, "-W", "ignore", str(PROGRAM), str(seed), str(most), *names]
    done = subprocess.run(call, capture_output=True, text=True, env=os.environ | place, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stdout[-300:]}{done.stderr[-3000:]}"
    return done.stdout.splitlines()


@pytest.mark.parametrize("group", QUICK)
def test_damaged_arrays_are_refused_or_harmless(group):
    lines = attacked(0, 6, *QUICK[group])
    assert not [line for line in lines if "PROBLEM" in line]
    assert sum(line.endswith("cases") for line in lines) == len(QUICK[group])


@pytest.mark.hostile
@pytest.mark.parametrize("name", detectors.ids())
def test_every_kind_of_damage_to_every_array_is_refused_or_harmless(name, count_cases):
    lines = attacked(1, 100_000, name)
    problems = [line for line in lines if "PROBLEM" in line]
    count_cases(int(lines[-1].removesuffix(" cases").split()[-1]), len(problems))
    assert not problems


@pytest.fixture(scope="module")
def nominal():
    return collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 10)


@pytest.fixture
def saved(nominal, tmp_path):
    """A saved forest; returns its path, and what writes its files anew with a hash that is right."""
    path = tmp_path / "forest"
    detector = make_detector("IsolationForest", n_estimators=5).fit(nominal)
    save_detector(path, detector)

    def write(changes=None, arrays=None, **card):
        content = save_tensors({**detector.state_dict(), **(arrays or {})})
        data = read_checked_json(path.with_suffix(".json")) | {"sha256": sha256_of(content)} | card
        data["parameters"] |= changes or {}
        path.with_suffix(".safetensors").write_bytes(content)
        write_checked_json(path.with_suffix(".json"), data)

    return path, write


def test_children_beyond_the_trees_are_refused(saved):
    path, write = saved
    write(arrays={"point.children": np.full((200, 2), 10**9)})
    with pytest.raises(DamagedFile, match=r"forest.safetensors: children leads from node 0 of 200 to nodes 1000000000"):
        load_detector(path)


def test_children_that_lead_back_are_refused(saved, nominal):
    path, write = saved
    write(
        arrays={
            "point.children": np.zeros_like(
                make_detector("IsolationForest", n_estimators=5).fit(nominal).state_dict()["point.children"]
            )
        }
    )
    with pytest.raises(DamagedFile, match="children come after their parent"):
        load_detector(path)


def test_a_failed_load_state_dict_does_not_change_the_detector(nominal):
    learned = make_detector("KNN").fit(nominal).state_dict()
    for known in (make_detector("KNN"), make_detector("KNN").fit(nominal[:5])):
        before = known.score(nominal) if known.fitted else None
        with pytest.raises(DamagedFile):
            known.load_state_dict(learned | {"point.points": learned["point.points"][:, :3]})
        assert known.fitted == (before is not None)
        if before is not None:
            for first, again in zip(before, known.score(nominal), strict=True):
                np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_estimators": 6}, r"roots has shape \(5,\); IsolationForest expects \(6,\)"),
        ({"n_estimators": 10**30}, "n_estimators is 1000000"),
        ({"n_estimators": "many"}, "n_estimators is 'many'"),
        ({"n_estimators": float("nan")}, "n_estimators is nan"),
        ({"view": "transition"}, "mean has shape"),
        ({"view": "window", "window_length": 10**15}, "window_length is 1000000000000000"),
        ({"view": ["next_observation"]}, "no view"),
        ({"nosuch": 1}, "no parameter 'nosuch'"),
    ],
)
def test_parameters_that_do_not_fit_are_damage(saved, changes, words):
    path, write = saved
    write(changes)
    with pytest.raises(DamagedFile, match=words):
        load_detector(path)


@pytest.mark.parametrize(
    ("card", "error"),
    [
        ({"format": 1}, UnsupportedFormat),
        ({"format": "2"}, UnsupportedFormat),
        ({"detector": "NoSuch"}, UnknownName),
        ({"detector": ["KNN"]}, DamagedFile),
        ({"detector": "subprocess:run"}, UnknownName),
        ({"parameters": []}, DamagedFile),
        ({"sha256": 5}, DamagedFile),
        ({"more": 1}, DamagedFile),
    ],
)
def test_a_card_of_another_kind_is_named(saved, card, error):
    path, write = saved
    parameters = card.pop("parameters", None)
    write(**card)
    if parameters is not None:
        write_checked_json(
            path.with_suffix(".json"), read_checked_json(path.with_suffix(".json")) | {"parameters": parameters}
        )
    with pytest.raises(error):
        load_detector(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe{}", b"[" * 100_000, b'{"detector": NaN}', b"null", b'{"detector": "KNN"}'],
    ids=["empty", "cut", "list", "not UTF-8", "deep", "NaN", "null", "too little"],
)
@pytest.mark.filterwarnings("ignore::offnominal.core.checksum.NoChecksum")
def test_an_invalid_card_is_damage(saved, content):
    path, _ = saved
    path.with_suffix(".json").write_bytes(content)
    with pytest.raises(DamagedFile):
        load_detector(path)


@pytest.mark.parametrize("content", [b"", b"12345678", b"\xff" * 64, (10**15).to_bytes(8, "little") + b"{}"])
def test_invalid_arrays_are_damage(saved, content):
    path, _ = saved
    path.with_suffix(".safetensors").write_bytes(content)
    card = read_checked_json(path.with_suffix(".json"))
    write_checked_json(path.with_suffix(".json"), card | {"sha256": sha256_of(content)})
    with pytest.raises(DamagedFile, match="contains no arrays"):
        load_detector(path)


def test_changed_parameters_are_noticed(saved):
    path, _ = saved
    card = path.with_suffix(".json")
    write_json(card, read_json(card) | {"parameters": read_json(card)["parameters"] | {"max_samples": 200}})
    with pytest.raises(DamagedFile, match=r"forest.json was changed"):
        load_detector(path)


def test_a_card_of_an_early_version_has_no_checksum_and_is_read_with_a_warning(saved, nominal):
    path, _ = saved
    scores = load_detector(path).score(nominal)
    write_json(path.with_suffix(".json"), read_checked_json(path.with_suffix(".json")))
    with pytest.warns(NoChecksum, match=r"forest.json has no checksum"):
        again = load_detector(path).score(nominal)
    np.testing.assert_array_equal(np.concatenate(scores), np.concatenate(again))


def test_a_flipped_bit_and_a_missing_file_are_named(saved):
    path, _ = saved
    content = bytearray(path.with_suffix(".safetensors").read_bytes())
    content[-1] ^= 1
    path.with_suffix(".safetensors").write_bytes(content)
    with pytest.raises(DamagedFile, match="SHA-256"):
        load_detector(path)
    path.with_suffix(".safetensors").unlink()
    with pytest.raises(MissingFile):
        load_detector(path)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("MLP-DM", {"hidden": [900_000, 900_000]}),
        ("LSTM-DM", {"recurrent_size": 900_000}),
        ("PE-DM", {"n_members": 10_000, "hidden": [900_000]}),
        ("VAE", {"hidden": 900_000, "layers": 900}),
        ("SPTN", {"components": 900_000, "layers": 900}),
        ("LDM", {"channels": 900_000}),
        ("MLP-DM", {"hidden": [10**12]}),
        ("VAE", {"layers": 10**9}),
        ("VAE", {"samples": 10**12}),
    ],
)
def test_a_huge_network_is_compared_with_its_weights_before_there_is_memory_for_it(name, sizes, nominal, tmp_path):
    small = {"hidden": (4,)} if name == "MLP-DM" else {}
    detector = make_detector(name, **small, **{"max_iter": 0} if name in ("VAE", "SPTN") else {"n_epochs": 0})
    if detector.pixel_observations:
        frames = np.zeros((3, 3, 32, 32), np.uint8)
        nominal = [offnominal.Episode(frames, np.ones((2, 2)), np.zeros(2), np.zeros(2, bool))]
    save_detector(tmp_path / "network", detector.fit(nominal))
    card = tmp_path / "network.json"
    data = read_checked_json(card)
    data["parameters"] |= sizes
    write_checked_json(card, data)
    with pytest.raises(OffnominalError):
        load_detector(tmp_path / "network")


def test_fusions_within_fusions_without_end_are_damage(tmp_path, nominal):
    path = tmp_path / "fusion"
    save_detector(path, make_detector("Fusion").fit(nominal))
    card = path.with_suffix(".json")
    parameters = {"detectors": ["KNN"]}
    for _ in range(200):
        parameters = {"detectors": [["Fusion", parameters]]}
    write_checked_json(card, read_checked_json(card) | {"parameters": parameters})
    with pytest.raises(DamagedFile):
        load_detector(path)
