"""A cluster reserves a GPU for the cells whose detector has a network."""

import pytest

from offnominal.detectors import detectors, make_detector
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.kind import FaultStudyKind


def needs_gpu(detector, **parameters):
    return FaultStudyKind().uses_gpu(Cell("SAP-Goal0-v0", "mine", detector, parameters))


@pytest.mark.parametrize("name", detectors.ids())
def test_cells_of_networks_need_a_gpu(name):
    # `tests/laws` checks that a detector has a network if and only if it has this parameter.
    assert needs_gpu(name) == ("device" in make_detector(name).get_params())


def test_there_are_cells_of_both_kinds():
    assert needs_gpu("MLP-DM")
    assert not needs_gpu("KNN")


def test_a_network_on_the_processor_needs_no_gpu():
    assert not needs_gpu("MLP-DM", device="cpu")
    assert needs_gpu("MLP-DM", device="cuda")


def test_a_fusion_needs_a_gpu_if_one_of_its_parts_does():
    assert needs_gpu("Fusion", detectors=["KNN", "MLP-DM"])
    assert needs_gpu("Fusion", detectors=["KNN", ["Fusion", {"detectors": ["VAE", "Time"]}]])
    assert not needs_gpu("Fusion", detectors=["KNN", "Time"])


def test_classes_that_are_not_registered_are_known():
    assert needs_gpu("offnominal.detectors.transitions:PEDM")
    assert not needs_gpu("offnominal.detectors:Time")


def test_a_detector_that_cannot_be_imported_here_may_need_one():
    assert needs_gpu("not_on_this_machine.detectors:Network")
