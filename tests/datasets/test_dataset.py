"""A dataset opens if it is what its manifest says, and otherwise says what is wrong."""

import json
import pickle
import shutil

import pytest

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName, UnsupportedFormat
from offnominal.datasets import Dataset
from offnominal.datasets.manifest import file_of


@pytest.fixture
def copy(dataset, tmp_path):
    """A copy of the small dataset, to be damaged."""
    return shutil.copytree(dataset.folder, tmp_path / "copy")


def rewritten(folder, change):
    """Change the manifest of a dataset."""
    data = json.loads((folder / "manifest.json").read_text())
    change(data)
    (folder / "manifest.json").write_text(json.dumps(data))


def test_repr_of_a_dataset(dataset):
    assert repr(dataset) == ("Dataset(SAP-Goal0-v0, 8 splits with 57 episodes: train, validation, test, twins, …)")
    assert dataset.world == "SAP-Goal0-v0"
    assert dataset.faults["action/noise", "tiny"] == "action/noise@tiny"
    assert set(dataset.faults.values()) == set(dataset.splits[4:])
    assert list(dataset) == dataset.splits
    assert "test" in dataset
    assert "tset" not in dataset


def test_an_unknown_split_is_answered_with_the_nearest(dataset):
    with pytest.raises(UnknownName, match="Did you mean 'action/noise@tiny'"):
        dataset["action/noise@tny"]
    with pytest.raises(UnknownName, match="It has: train, validation"):
        dataset[0]


def test_a_dataset_can_be_sent_to_another_process(dataset):
    dataset["train"][0]
    sent = pickle.loads(pickle.dumps(dataset))
    assert list(sent["train"]) == list(dataset["train"])
    assert len(pickle.dumps(dataset["train"])) < 2000


def test_a_manifest_comes_back_as_it_was(dataset):
    manifest = dataset.manifest
    assert type(manifest).from_dict(manifest.to_dict()) == manifest
    assert manifest.recipe_sha256 == manifest.recipe.digest()


@pytest.mark.parametrize("verify_dataset", ["hash", "size"])
def test_a_missing_or_truncated_file_is_found_on_opening(verify_dataset, copy):
    path = copy / "splits" / "test.parquet"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DamagedFile, match=r"test\.parquet has [\d,]+ bytes, the manifest says"):
        Dataset(copy, verify=verify_dataset)
    path.unlink()
    with pytest.raises(MissingFile, match=r"test\.parquet of split 'test' does not exist"):
        Dataset(copy, verify=verify_dataset)


@pytest.mark.parametrize("place", [10, 5000, -300, -1])
def test_a_flipped_bit_is_found_before_anything_is_read(place, copy):
    path = copy / "splits" / "test.parquet"
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    data = Dataset(copy)
    assert data["train"][0].seed == 10_000_000
    for read in (list, lambda split: split[0], lambda split: split.seeds, lambda split: split.to_arrow()):
        with pytest.raises(DamagedFile, match=r"test\.parquet has SHA-256"):
            read(data["test"])


def test_a_file_that_is_nothing_is_named_even_if_hashes_are_not_compared(copy):
    path = copy / "splits" / "test.parquet"
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(DamagedFile, match=r"test\.parquet cannot be read as episodes"):
        Dataset(copy, verify="size")["test"][0]


def test_another_version_of_the_format_is_named(copy):
    rewritten(copy, lambda data: data.update(format=1))
    with pytest.raises(UnsupportedFormat, match="has format 1; this version reads format 2; remove the folder"):
        Dataset(copy)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not valid JSON"),
        ("[]", "expected a JSON object"),
        ("{}", "is not the manifest of a dataset"),
        ('{"format": 2}', "is not valid"),
        ('{"format": 2, "colour": "red"}', "no field 'colour'"),
        (b"\xff\xfe", "is not text in UTF-8"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_broken_manifest_is_named(content, complaint, tmp_path):
    (tmp_path / "manifest.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DamagedFile, match=complaint):
        Dataset(tmp_path)


def test_a_folder_without_a_manifest_is_no_dataset(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(MissingFile, match=r"manifest\.json does not exist"):
            Dataset(folder)


@pytest.mark.parametrize("file", ["../outside.parquet", "/etc/passwd", "splits/../../outside.parquet", "..\\outside"])
def test_a_manifest_cannot_point_outside_of_its_folder(file, copy, edit):
    (copy.parent / "outside.parquet").write_bytes(b"secret")
    edit(copy, lambda data: data["splits"]["test"].update(file=file))
    with pytest.raises(DamagedFile, match="is not in the dataset"):
        Dataset(copy)


def test_a_link_cannot_lead_outside_either(copy):
    path = copy / "splits" / "test.parquet"
    shutil.move(path, copy.parent / "outside.parquet")
    path.symlink_to(copy.parent / "outside.parquet")
    with pytest.raises(DamagedFile, match="is not in the dataset"):
        Dataset(copy)


def test_verify_is_one_of_two_words(dataset):
    with pytest.raises(InvalidParameter, match="choose 'hash' or 'size'"):
        Dataset(dataset.folder, verify="no")


@pytest.mark.parametrize("name", ["", "..", "a/../b", "a//b", "/a", "a\nb", "C:b", "x" * 201])
def test_a_split_needs_a_name_that_can_be_a_file(name):
    with pytest.raises(InvalidParameter, match="cannot be the name of a split"):
        file_of(name)
