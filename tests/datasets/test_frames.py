"""Frames are stored without loss, read only when asked for, and guarded like everything else."""

import pickle
import shutil
import sys
import warnings

import duckdb
import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.anomalies import Fault
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidState, MissingFile, SimulationDiverged
from offnominal.datasets import Dataset, Recipe, generate, save_dataset, to_minari, verify_dataset
from offnominal.datasets import frames as storage
from offnominal.datasets.recipe import FaultCell
from offnominal.rollouts import collect
from offnominal.worlds.particles.world import ParticleWorld

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
STRENGTHS = {("camera/noise", "mild"): 12.0, ("observation/offset", "medium"): 0.3}


def shot(length, seed=0, shape=(8, 6, 3)):
    return np.random.default_rng(seed).integers(0, 256, (length + 1, *shape), dtype=np.uint8)


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def difference(one, other):
    """Return the largest difference of the frames of two episodes."""
    return int(np.abs(one.extras["frames"].astype(int) - other.extras["frames"]).max())


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """Return a function that makes a small dataset with frames."""

    def make(folder, *, report=warnings.warn, **changes):
        options = {"episodes": 3, "strengths": STRENGTHS, "frames": True, **changes}
        return generate(Recipe.for_world(WORLD, **options), folder, report=report)

    return make


@pytest.fixture(scope="module")
def data(filmed, tmp_path_factory):
    """A small dataset with frames that no test changes."""
    return filmed(tmp_path_factory.mktemp("frames") / "small", twins=True)


@pytest.fixture
def copied(data, tmp_path):
    return shutil.copytree(data.folder, tmp_path / "copy")


@pytest.fixture
def decoded(monkeypatch):
    """The numbers of the episodes whose frames are decoded from now on."""
    numbers, real = [], storage.FramesFile._read
    monkeypatch.setattr(storage.FramesFile, "_read", lambda self, number: numbers.append(number) or real(self, number))
    return numbers


def test_episodes_come_back_to_the_bit(recorded, tmp_path):
    lengths = (3, 1, 7, 4)
    episodes = [recorded(length, seed=length, frames=shot(length, length)) for length in lengths]
    split = save_dataset(tmp_path / "data", {"train": episodes}, world="mine")["train"]
    assert list(split) == episodes
    assert [split[index] for index in (2, 0, 3, -3)] == [episodes[index] for index in (2, 0, 3, -3)]
    assert split.entry.frames.count == sum(lengths) + 4
    assert split.entry.frames.shape == (8, 6, 3)


def test_stored_frames_are_those_that_are_recorded(data):
    fault = Fault("camera/noise", 12.0)
    for name, anomalies in (("twins", None), ("camera/noise@mild", fault)):
        stored = [episode.extras["frames"] for episode in data[name]]
        again = collect(WORLD, expert(WORLD), 3, seed=13_000_000, faults=anomalies, frames=True)
        for one, other in zip(stored, again, strict=True):
            assert np.array_equal(one, other.extras["frames"])


def test_a_camera_fault_reaches_the_stored_frames_from_its_onset_on(data):
    for nominal, faulty in zip(data["twins"], data["camera/noise@mild"], strict=True):
        differs = (nominal.extras["frames"] != faulty.extras["frames"]).any(axis=(1, 2, 3))
        onset = len(faulty) if faulty.onset is None else faulty.onset
        assert np.array_equal(differs, np.arange(len(faulty) + 1) > onset)
        assert np.array_equal(nominal.observations, faulty.observations)


def test_nothing_is_decoded_before_it_is_asked_for(data, decoded):
    split = Dataset(data.folder)["train"]
    for episode in split:
        assert "frames" in episode.extras
        assert set(episode.extras) == {"success", "critical", "cost", "frames"}
        assert len(episode.extras) == 4
        assert (episode.success, episode.extras["cost"].shape) == (episode.success, (len(episode),))
    assert split.to_pandas().shape[0] == split.entry.frames.count
    images = split.images()
    assert (len(images), images.seeds.tolist()) == (3, split.seeds.tolist())
    assert decoded == []
    assert split[1].extras["frames"].shape == (len(split[1]) + 1, 128, 128, 3)
    assert decoded == [1]


def test_the_frames_of_one_episode_are_held_at_a_time(data, decoded):
    walk = iter(Dataset(data.folder)["train"].images())
    for number in range(3):
        next(walk)
        assert decoded == list(range(number + 1))


def test_frames_asked_for_twice_are_decoded_once(data, decoded):
    episode = Dataset(data.folder)["train"][2]
    assert episode.extras["frames"] is episode.extras["frames"]
    assert decoded == [2]
    with pytest.raises(ValueError, match="read-only"):
        episode.extras["frames"][0] = 0


def test_images_is_a_split_with_frames_as_observations(data):
    images = data.images()
    assert images.splits == data.splits
    assert images.faults == data.faults
    for name in data:
        for seen, vector in zip(images[name], data[name], strict=True):
            assert np.array_equal(seen.observations, np.moveaxis(vector.extras["frames"], -1, 1))
            assert np.array_equal(seen.extras["vector_observations"], vector.observations)
            assert "frames" not in seen.extras
    assert images["train"][-1] == list(images["train"])[-1]
    assert repr(images["train"]).startswith("FrameSplit('train', 3 episodes")


def test_splits_and_episodes_travel_to_other_processes(data):
    episode = data["train"][1]
    for each in (data["train"], data["train"].images()):
        list(each)
        there = pickle.loads(pickle.dumps(each))
        assert type(there) is type(each)
        assert list(there) == list(each)
    there = pickle.loads(pickle.dumps(episode))
    assert there == episode
    assert isinstance(there.extras, dict)


def test_without_frames_there_are_no_images(dataset):
    with pytest.raises(InvalidState, match="frames=True"):
        dataset["train"].images()
    with pytest.raises(InvalidState, match="frames=True"):
        dataset.images()


def test_a_dataset_without_frames_does_not_speak_of_them(dataset):
    assert "frames" not in (dataset.folder / "manifest.json").read_text()
    assert "Frames" not in (dataset.folder / "README.md").read_text()
    assert not (dataset.folder / "frames").exists()


def test_the_hash_of_a_recipe_without_frames_is_pinned():
    recipe = Recipe("SAP-Goal0-v0", "tqc", cells=(FaultCell("action/noise", "tiny", 0.1),), twins=True)
    assert recipe.digest() == "91155ac18434efa0bda1871acd32decdd09675bd548d8b8f828c2ebdf6b40438"
    digests = {each.digest() for each in (recipe, recipe.replace(frames=True))}
    digests.add(recipe.replace(frames=True, camera="affected").digest())
    assert len(digests) == 3
    filmed = recipe.replace(frames=True, camera="affected")
    assert Recipe.from_dict(filmed.to_dict()) == filmed
    assert Recipe.from_dict(recipe.to_dict()) == recipe


def test_the_same_recipe_gives_the_same_bytes_whatever_the_batch(data, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["offnominal.datasets.generation"], "BATCH_WITH_FRAMES", 2)
    assert files(generate(data.manifest.recipe, tmp_path / "again").folder) == files(data.folder)


def test_clean_and_affected_cameras_differ_only_in_the_frames(data, filmed, tmp_path):
    affected = filmed(tmp_path / "affected", twins=True, camera="affected")
    assert affected.manifest.recipe.camera == "affected"
    tables = [
        {name: file for name, file in files(each.folder).items() if "splits/" in name} for each in (data, affected)
    ]
    assert tables[0] == tables[1]
    # A position that the camera adds up from a reported vector can be another one by rounding: one level of grey.
    largest = {name: max(map(difference, data[name], affected[name])) for name in data}
    assert [name for name, size in largest.items() if size > 1] == ["observation/offset@medium"]


def test_frames_are_left_out_of_another_recipe_aloud(filmed, tmp_path):
    filmed(tmp_path / "data", episodes=1, strengths={})
    with pytest.raises(FileExistsError, match="it differs in frames, camera"):
        filmed(tmp_path / "data", episodes=1, strengths={}, frames=False)


def test_an_interrupted_run_resumes_to_the_same_bytes(data, filmed, tmp_path, monkeypatch):
    module = sys.modules["offnominal.datasets.generation"]
    simulation = sys.modules["offnominal.datasets.generation"]
    real, simulated = simulation.rollout, []

    def failing(world, policy, seeds, faults, **options):
        if len(simulated) >= 6:
            raise SimulationDiverged("a power cut, more or less")
        simulated.extend(seeds)
        return real(world, policy, seeds, faults, **options)

    monkeypatch.setattr(module, "BATCH_WITH_FRAMES", 2)
    monkeypatch.setattr(simulation, "rollout", failing)
    with pytest.raises(SimulationDiverged):
        filmed(tmp_path / "data", twins=True)
    monkeypatch.undo()
    made = tmp_path / ".data.unfinished" / "dataset" / "frames"
    assert not (tmp_path / "data").exists()
    assert {"train.parquet", "validation.parquet"} <= {path.name for path in made.iterdir()}
    # The disk did not keep its word for the frames of one finished split.
    broken = bytearray((made / "train.parquet").read_bytes())
    broken[100] ^= 1
    (made / "train.parquet").write_bytes(broken)
    said = []
    filmed(tmp_path / "data", twins=True, report=said.append)
    assert said == [f"Resuming in {tmp_path / '.data.unfinished'}: 1 splits are already finished."]
    assert files(tmp_path / "data") == files(data.folder)


def flipped(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_damage_is_found_when_frames_are_read_and_not_before(copied):
    flipped(copied / "frames" / "train.parquet", 500)
    episode = Dataset(copied)["train"][0]
    assert episode.observations.size
    with pytest.raises(DamagedFile, match="SHA-256"):
        episode.extras["frames"]


def test_damage_behind_an_unchecked_hash_is_found_by_the_checksum_of_its_episode(copied):
    split = Dataset(copied)["train"]
    start = split._frames._file.metadata.row_group(1).column(3).data_page_offset
    flipped(copied / "frames" / "train.parquet", start + 60)
    split = Dataset(copied, verify="size")["train"]
    assert split[0].extras["frames"].any()
    with pytest.raises(DamagedFile, match="cannot be read as frames"):
        split[1].extras["frames"]


def test_a_missing_or_cut_file_is_noticed_when_the_dataset_is_opened(copied):
    path = copied / "frames" / "test.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFile, match="the manifest says"):
        Dataset(copied)
    path.unlink()
    with pytest.raises(MissingFile, match=r"frames.test\.parquet"):
        Dataset(copied)


def test_verify_checks_frames(data, copied):
    assert verify_dataset(data.folder) == dict.fromkeys(data.splits, "")
    flipped(copied / "frames" / "twins.parquet", 700)
    (copied / "frames" / "stray.parquet").write_bytes(b"?")
    problems = {name: problem for name, problem in verify_dataset(copied).items() if problem}
    assert set(problems) == {"twins", "frames/stray.parquet"}
    assert "SHA-256" in problems["twins"]


def test_frames_of_other_episodes_are_found_behind_a_right_hash(copied, edit):
    def exchange(data):
        ours, theirs = (data["splits"][name]["frames"] for name in ("test", "twins"))
        shutil.copy(copied / theirs["file"], copied / ours["file"])
        ours.update(size=theirs["size"], sha256=theirs["sha256"])

    edit(copied, exchange)
    assert [name for name, problem in verify_dataset(copied).items() if problem] == ["test"]


def test_the_number_and_shape_of_frames_are_counted_again(copied, edit):
    edit(copied, lambda data: data["splits"]["test"]["frames"].update(count=1))
    edit(copied, lambda data: data["splits"]["twins"]["frames"].update(shape=[1, 1, 3]))
    assert [name for name, problem in verify_dataset(copied).items() if problem] == ["test", "twins"]


def test_a_manifest_cannot_point_to_frames_elsewhere(copied, edit):
    edit(copied, lambda data: data["splits"]["test"]["frames"].update(file="../frames/test.parquet"))
    with pytest.raises(DamagedFile, match="not in the dataset"):
        Dataset(copied)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({}, "either all or no episodes"),
        ({"frames": shot(3, shape=(8, 8, 3))}, r"shape \(8, 8, 3\), those before it \(8, 6, 3\)"),
        ({"frames": shot(2)}, r"expected uint8 of \(4, height, width, 3\)"),
        ({"frames": shot(3, shape=(8, 6, 4))}, "expected uint8"),
        ({"frames": shot(3).astype(np.float32)}, "are float32"),
    ],
)
def test_frames_that_do_not_fit_are_refused(recorded, tmp_path, second, said):
    with pytest.raises(InvalidParameter, match=said):
        save_dataset(tmp_path / "data", {"train": [recorded(frames=shot(3)), recorded(seed=1, **second)]}, world="mine")
    assert list(tmp_path.iterdir()) == []


def test_frames_that_come_late_are_not_lost_in_silence(recorded, tmp_path):
    with pytest.raises(InvalidParameter, match="seed 1 differs"):
        save_dataset(tmp_path / "data", {"train": [recorded(), recorded(seed=1, frames=shot(3))]}, world="mine")


def test_numbers_that_are_called_frames_stay_in_the_table(recorded, tmp_path):
    episode = recorded(3, frames=np.arange(3))
    split = save_dataset(tmp_path / "data", {"train": [episode]}, world="mine")["train"]
    assert split.entry.frames is None
    assert split[0] == episode


def test_a_stored_split_can_be_saved_again(data, tmp_path):
    again = save_dataset(tmp_path / "again", {"test": data["test"]}, world=WORLD)
    assert again["test"].entry.content == data["test"].entry.content
    assert again["test"].entry.frames.sha256 == data["test"].entry.frames.sha256


def test_camera_faults_need_frames(filmed, tmp_path):
    with pytest.raises(InvalidParameter, match="camera/noise changes only frames"):
        filmed(tmp_path / "data", frames=False)
    with pytest.raises(InvalidParameter, match="frames=True"):
        filmed(tmp_path / "data", frames=False, strengths={}, camera="affected")
    assert list(tmp_path.iterdir()) == []


def test_a_world_without_images_is_refused_and_leaves_nothing_behind(filmed, tmp_path, monkeypatch):
    monkeypatch.setattr(ParticleWorld, "camera", None)
    with pytest.raises(TypeError, match="SAP-Goal0-v0 has no images"):
        filmed(tmp_path / "data", strengths={})
    assert list(tmp_path.iterdir()) == []


def test_the_card_describes_the_frames(data):
    card = (data.folder / "README.md").read_text()
    count = sum(entry.frames.count for entry in data.manifest.splits.values())
    assert f"{count:,} frames, " in card
    assert "128 x 128 RGB, lossless" in card
    assert "the camera shows the true state" in card


def test_any_parquet_reader_finds_a_frame(data):
    path = data.folder / data["test"].entry.frames.file
    ((frame, seed),) = duckdb.sql(f"SELECT frame, seed FROM '{path}' WHERE episode = 1 AND step = 2").fetchall()
    episode = data["test"][1]
    assert frame == episode.extras["frames"][2].tobytes()
    assert seed == episode.seed


def test_minari_gets_the_numbers_without_the_frames(data, tmp_path, monkeypatch):
    pytest.importorskip("minari", reason="minari is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    (written,) = to_minari(data["test"], "sap/test-v0")
    assert "frames were left out" in written.storage.metadata["description"]
    first = next(written.iterate_episodes())
    assert np.array_equal(first.observations, data["test"][0].observations)
    assert "frames" not in first.infos
