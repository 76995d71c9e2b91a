"""A library of faults: recognised, unknown, saved, and invalid input."""

import numpy as np
import pytest

from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnsupportedFormat
from offnominal.core.files import read_json, write_json
from offnominal.detectors.diagnosis import FaultLibrary, NominalReference

from .cases import explanation

FAULTS = {
    "left sensor": {"channel": 0, "size": 8.0},
    "right sensor": {"channel": 1, "size": 8.0},
    "bump": {"channel": 0, "size": 30.0, "decay": 0.5},
}


@pytest.fixture(scope="module")
def reference():
    return NominalReference([explanation(seed) for seed in range(40)])


def faulty(reference, name, seed):
    return explanation(seed, onset=20 + seed % 30, **FAULTS[name]).compared(reference)


@pytest.fixture(scope="module")
def library(reference):
    made = FaultLibrary()
    for name in FAULTS:
        for seed in range(200, 208):
            made.record(name, faulty(reference, name, seed))
    return made


def test_faults_are_recognised_by_channel_and_by_shape(reference, library):
    assert library.faults == list(FAULTS)
    for name in FAULTS:
        named = [library.nearest(faulty(reference, name, seed)) for seed in range(300, 310)]
        assert np.mean([each.ranked[0].name == name for each in named]) >= 0.9
        assert np.mean([each.known for each in named]) >= 0.7
        assert all(len(each.ranked) == 3 for each in named)


def test_a_fault_far_from_all_is_unknown(reference, library):
    other = explanation(400, onset=30, channel=2, size=8.0).compared(reference, library)
    assert other.fault.name == "unknown"
    assert "fault unknown (distance" in repr(other)


def test_a_fault_that_was_recorded_once_is_always_known(reference):
    single = FaultLibrary()
    single.record("bump", faulty(reference, "bump", 200))
    assert single.nearest(faulty(reference, "right sensor", 201)).name == "bump"


def test_a_known_onset_can_be_given(reference):
    recorded = FaultLibrary()
    recorded.record("quiet", explanation(7).compared(reference), onset=3)
    assert len(recorded) == 1


def test_a_saved_library_is_loaded_unchanged(library, reference, tmp_path):
    library.save(tmp_path / "faults.json")
    loaded = FaultLibrary.load(tmp_path / "faults.json")
    given = faulty(reference, "bump", 301)
    assert loaded.nearest(given) == library.nearest(given)
    assert repr(loaded) == "FaultLibrary(24 signatures of 3 faults)"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"format": 9}, UnsupportedFormat),
        ({"channels": 3}, DamagedFile),
        ({"channels": ["left"]}, DamagedFile),
        ({"faults": [{"name": "x", "signature": [0.0]}]}, DamagedFile),
        ({"faults": [{"name": "x", "signature": [float("nan")] * 15}]}, DamagedFile),
        ({"faults": [{"signature": [0.0] * 15}]}, DamagedFile),
        ({"faults": [{"name": 3, "signature": [0.0] * 15}]}, DamagedFile),
        ({"n_neighbors": 0}, DamagedFile),
        ({"quantile": "most"}, DamagedFile),
    ],
)
def test_a_damaged_file_is_named(library, tmp_path, change, error):
    path = tmp_path / "faults.json"
    library.save(path)
    write_checked_json(path, read_checked_json(path) | change)
    with pytest.raises(error, match=r"faults\.json"):
        FaultLibrary.load(path)


def test_a_changed_signature_is_noticed(library, tmp_path):
    path = tmp_path / "faults.json"
    library.save(path)
    write_json(path, read_json(path) | {"quantile": 0.5})
    with pytest.raises(DamagedFile, match=r"faults\.json was changed"):
        FaultLibrary.load(path)


def test_invalid_input_is_named(reference, library, tmp_path):
    plain, quiet = explanation(3), explanation(7).compared(reference)
    with pytest.raises(InvalidParameter, match="no faults"):
        FaultLibrary().nearest(quiet)
    with pytest.raises(InvalidParameter, match="no nominal reference"):
        library.record("x", plain)
    with pytest.raises(InvalidParameter, match="no change was found"):
        library.record("x", quiet)
    with pytest.raises(InvalidParameter, match="the onset is 99"):
        library.record("x", quiet, onset=99)
    with pytest.raises(InvalidParameter, match="reserved"):
        library.record("unknown", quiet)
    with pytest.raises(InvalidParameter, match="expected"):
        library.nearest(np.zeros(3))
    with pytest.raises(InvalidParameter, match="library is of Toy"):
        library.nearest(explanation(3, detector="Other"))
    with pytest.raises(InvalidParameter, match="needs nominal episodes"):
        plain.compared(None, library)
    with pytest.raises(MissingFile):
        FaultLibrary.load(tmp_path / "none.json")
