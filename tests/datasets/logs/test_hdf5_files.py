"""HDF5 files hold their own data, of types and sizes that can be read; anything else is a named error."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidLog, InvalidParameter
from offnominal.datasets.logs import episodes_from

h5py = pytest.importorskip("h5py", reason="h5py is not installed")


def d4rl(path, add=lambda file: None, **changes):
    arrays = {"observations": np.arange(24.0).reshape(12, 2), "actions": np.zeros((12, 1)), "rewards": np.ones(12)}
    with h5py.File(path, "w") as file:
        for name, values in (arrays | changes).items():
            if values is not None:
                file[name] = values
        add(file)
    return path


def external_link(file):
    file["observations"] = h5py.ExternalLink(file.attrs["other"], "/observations")


def external_link_behind_a_soft_link(file):
    file["other"] = h5py.ExternalLink(file.attrs["other"], "/")
    file["observations"] = h5py.SoftLink("/other/observations")


def external_link_in_another_group(file):
    external_link(file)
    file.move("observations", "notes/2024/observations")


def external_storage(file):
    file.create_dataset("observations", (12, 2), "u1", external=[(file.attrs["other"], 0, 24)])


def virtual_dataset(file):
    layout = h5py.VirtualLayout((12, 2), "f8")
    layout[:] = h5py.VirtualSource(file.attrs["other"], "observations", (12, 2))
    file.create_virtual_dataset("observations", layout)


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (external_link, "'observations' is a link to the file"),
        (external_link_behind_a_soft_link, "'other' is a link to the file"),
        (external_link_in_another_group, "'notes/2024/observations' is a link to the file"),
        (external_storage, "'observations' has its data in the file"),
        (virtual_dataset, "'observations' is a virtual dataset over the file"),
    ],
)
def test_a_file_that_reads_another_one_is_refused(add, words, tmp_path):
    other = d4rl(tmp_path / "secret.h5")

    def linked(file):
        file.attrs["other"] = str(other)
        add(file)

    path = d4rl(tmp_path / "log.h5", linked, observations=None)
    with pytest.raises(InvalidLog, match=f"{words} '.*secret.h5'. Only files with their own data are read"):
        episodes_from(path)


def test_a_file_that_is_replaced_while_it_is_used_is_checked_again(tmp_path):
    episodes = episodes_from(d4rl(tmp_path / "log.h5"))
    other = d4rl(tmp_path / "secret.h5")
    with h5py.File(tmp_path / "log.h5", "a") as file:
        del file["observations"]
        file["observations"] = h5py.ExternalLink(str(other), "/observations")
    with pytest.raises(InvalidLog, match="is a link to the file"):
        episodes[0]


def loop(file):
    file["observations"] = h5py.SoftLink("/again")
    file["again"] = h5py.SoftLink("/observations")


def huge(file):
    file.create_dataset("observations", (10**10, 2), "f4", chunks=(1024, 2))
    file.create_dataset("actions", (10**10, 1), "f4", chunks=(1024, 1))


def huge_chunk(file):
    file.create_dataset("observations", (12, 2), "f8", chunks=(2**30, 2), maxshape=(None, 2))


TEXT = h5py.string_dtype()
INVALID = {
    "soft links in a circle": ({"observations": None}, loop, "log.h5 cannot be read as an HDF5 file"),
    "dangling soft link": ({"actions": h5py.SoftLink("/nowhere")}, None, "log.h5 cannot be read as an HDF5 file"),
    "compound type": ({"observations": np.zeros(12, [("a", "f8")])}, None, "'observations' is of type .*'a'"),
    "strings": ({"observations": np.array(["a"] * 12, TEXT)}, None, "'observations' is of type object"),
    "complex numbers": ({"actions": np.zeros(12, complex)}, None, "'actions' is of type complex128"),
    "scalar": ({"observations": 3.0}, None, "'observations' is of type float64 and shape"),
    "nothing": ({"observations": h5py.Empty("f8")}, None, "'observations' is of type float64 and shape None"),
    "group": ({"actions": None}, lambda file: file.create_group("actions"), "'actions' is a group"),
    "rewards of two": ({"rewards": np.zeros((12, 2))}, None, "'rewards' has the shape .*expected one number"),
    "rows without end": ({"observations": None, "actions": None, "rewards": None}, huge, "would take 83.8 GiB"),
    "chunk without end": ({"observations": None}, huge_chunk, "a chunk of 'observations' would take 16 GiB"),
}


@pytest.mark.parametrize("case", INVALID)
def test_datasets_that_cannot_be_read_are_named(case, tmp_path):
    changes, add, words = INVALID[case]
    with pytest.raises(InvalidLog, match=words):
        episodes_from(d4rl(tmp_path / "log.h5", add or (lambda file: None), **changes))


def test_variable_length_rows_are_named(tmp_path):
    ragged = np.empty(12, object)
    ragged[:] = [np.zeros(2)] * 12

    def add(file):
        file.create_dataset("observations", data=ragged, dtype=h5py.vlen_dtype(np.float64))

    with pytest.raises(InvalidLog, match="'observations' is of type object"):
        episodes_from(d4rl(tmp_path / "log.h5", add, observations=None))


def test_an_episode_that_is_no_group_is_named(tmp_path):
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["data/demo_0"] = np.zeros(3)
        file["data/demo_1/obs/x"] = np.zeros(3)
    with pytest.raises(InvalidLog, match="'data/demo_0' has no members; expected 'obs' and 'actions'"):
        episodes_from(tmp_path / "log.h5")


def test_an_episode_that_does_not_fit_into_the_memory_is_named(tmp_path):
    with h5py.File(tmp_path / "log.h5", "w") as file:
        demo = file.create_group("data/demo_0")
        demo.create_dataset("obs/pose", (2**30, 8), "f8", chunks=(1024, 8))
        demo.create_dataset("actions", (2**30, 1), "f8", chunks=(1024, 1))
    with pytest.raises(InvalidLog, match="the episode 'data/demo_0' would take 80 GiB"):
        episodes_from(tmp_path / "log.h5")


def test_the_limit_can_be_raised_and_lowered(tmp_path, monkeypatch):
    path = d4rl(tmp_path / "log.h5", observations=np.zeros((10**4, 2)), actions=np.zeros((10**4, 1)), rewards=None)
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "0.00001")
    assert len(episodes_from(path, keep="all")[0]) == 10**4 - 1, "not more than the file holds"
    with h5py.File(path, "w") as file:
        for name in ("observations", "actions"):
            file.create_dataset(name, (10**4, 2), "f8", chunks=(100, 2))
    with pytest.raises(InvalidLog, match=r"the limit is 1e-05 GiB\. If you trust the file, set"):
        episodes_from(path)
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "1")
    assert len(episodes_from(path, keep="all")[0]) == 10**4 - 1
    monkeypatch.setenv("OFFNOMINAL_MAX_UNPACKED_GIB", "-1")
    with pytest.raises(InvalidParameter, match=r"OFFNOMINAL_MAX_UNPACKED_GIB is '-1'; expected a positive number"):
        episodes_from(path)


def test_numbers_in_another_byte_order_are_read(tmp_path):
    path = d4rl(tmp_path / "log.h5", observations=np.arange(24.0).reshape(12, 2).astype(">f8"))
    np.testing.assert_array_equal(episodes_from(path)[0].observations, np.arange(24.0).reshape(12, 2))
