"""Other programs are told of a run, and a run does not depend on them."""

import sys
from types import ModuleType

import pytest

from offnominal.core.errors import InvalidState, MissingDependency
from offnominal.studies import run_study
from offnominal.studies.sinks import MLflow, TensorBoard, WeightsAndBiases

from .cases import small_cell, small_cells

pytestmark = pytest.mark.long

ABOUT = {"study": "mine", "scale": "tiny", "config": {"seeds": [0]}}
TAG = "matched_auroc/SAP-Goal0-v0/expert/Time"


class Told:
    """Keeps what it is told."""

    def __init__(self, fail_at=""):
        self.calls = []
        self.fail_at = fail_at

    def _keep(self, what, *facts):
        self.calls.append((what, *facts))
        if what == self.fail_at:
            raise ConnectionError("no network")

    def started(self, about, cells):
        self._keep("started", about, cells)

    def cell(self, cell, numbers, error):
        self._keep("cell", cell, numbers, error)

    def finished(self, found):
        self._keep("finished", found)


class Stand:
    """Stands for a program: notes which of its functions are called with what."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        def called(*arguments, **options):
            self.calls.append((name, arguments, options))
            return self

        return called

    def of(self, name):
        return [(arguments, options) for called, arguments, options in self.calls if called == name]


@pytest.fixture
def go(tmp_path, in_process, result, package):
    """Run one good and one bad cell with a sink."""

    def run(*sinks, cells=None):
        bad = small_cell("Bad", f"{package.name}.trouble:Raises")
        cells = [*small_cells("Time"), bad] if cells is None else cells
        return run_study(cells, tmp_path / "store", about=ABOUT, report=lambda line: None, sinks=sinks)

    return run


def stand_in(monkeypatch, name, **attributes):
    module = ModuleType(name)
    vars(module).update(attributes)
    monkeypatch.setitem(sys.modules, name, module)


def test_a_sink_is_told_of_the_beginning_each_cell_and_the_end(go, result):
    sink = Told()
    outcome = go(sink)
    (_, about, cells), (_, bad, nothing, error), (_, good, numbers, no_error), (_, found) = sorted(
        sink.calls, key=lambda call: ("started", "cell", "finished").index(call[0]) + (call[-1] == "") / 2
    )
    assert [call[0] for call in sink.calls] == ["started", "cell", "cell", "finished"]
    assert (about, len(cells)) == (ABOUT, 2)
    assert (bad.name, nothing, error) == ("Bad", {}, "ZeroDivisionError: as it was asked to")
    assert (good.name, no_error) == ("Time", "")
    assert numbers["matched_auroc"] == result["Time"].rows["matched_auroc"][0].as_py()
    assert numbers["cpu_s"] > 0
    assert found == {**outcome.to_dict(), "interrupted": False}


def test_what_has_a_result_is_not_told_again(go):
    go()
    sink = Told()
    go(sink)
    assert [call[0] for call in sink.calls] == ["started", "finished"]


@pytest.mark.parametrize(("fail_at", "calls"), [("started", 1), ("cell", 2), ("finished", 4)])
def test_a_sink_that_fails_is_left_out_and_the_run_goes_on(go, fail_at, calls):
    broken, other = Told(fail_at), Told()
    with pytest.warns(UserWarning, match="Told is removed from this run: ConnectionError: no network"):
        outcome = go(broken, other)
    assert outcome.computed == 1
    assert (len(broken.calls), len(other.calls)) == (calls, 4)


def test_mlflow_gets_a_run_for_each_cell(go, monkeypatch):
    stand = Stand()
    names = ("set_tracking_uri", "set_experiment", "start_run", "log_params", "log_param", "log_metrics", "set_tag")
    stand_in(monkeypatch, "mlflow", **{name: getattr(stand, name) for name in (*names, "end_run")})
    go(MLflow("mine", uri="folder"))
    runs = [options["run_name"] for _, options in stand.of("start_run")]
    assert (runs[0], set(runs[1:])) == ("mine-tiny", {"SAP-Goal0-v0/expert/Time/0", "SAP-Goal0-v0/expert/Bad/0"})
    assert sorted(arguments for arguments, _ in stand.of("end_run")) == [("FAILED",), ("FINISHED",), ("FINISHED",)]
    assert any("matched_auroc" in arguments[0] for arguments, _ in stand.of("log_metrics"))
    assert stand.of("set_tracking_uri") == [(("folder",), {})]


def test_weights_and_biases_gets_a_step_for_each_cell(go, monkeypatch):
    run = Stand()
    run.summary = Stand()  # type: ignore[attr-defined]
    started = []
    stand_in(monkeypatch, "wandb", init=lambda **options: started.append(options) or run)
    go(WeightsAndBiases("mine", mode="offline"))
    assert started[0]["project"] == "mine"
    assert started[0]["mode"] == "offline"
    assert started[0]["config"]["cells"] == 2
    logged = [arguments[0] for arguments, _ in run.of("log")]
    assert sorted(bool(each["error"]) for each in logged) == [False, True]
    assert sum(TAG in each for each in logged) == 1
    assert run.summary.of("update")[0][0][0]["computed"] == 1
    assert len(run.of("finish")) == 1


def test_tensorboard_gets_a_point_for_each_number(go, monkeypatch):
    writer = Stand()
    stand_in(monkeypatch, "torch.utils.tensorboard", SummaryWriter=lambda folder: writer)
    go(TensorBoard("events"), cells=[small_cell("Time", seed=3)])
    points = {arguments[0]: arguments[1:] for arguments, _ in writer.of("add_scalar")}
    assert points[TAG][1] == 3
    assert points["run/computed"] == (1.0,)
    assert len(writer.of("close")) == 1


def test_a_run_that_has_not_started_is_named(monkeypatch):
    stand_in(monkeypatch, "torch.utils.tensorboard", SummaryWriter=object)
    with pytest.raises(InvalidState, match="the sink of TensorBoard has no run; call `started` first"):
        TensorBoard("events").finished({"cells": 1})


def test_tensorboard_reads_what_was_written(go, tmp_path, result):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    go(TensorBoard(tmp_path / "events"))
    events = EventAccumulator(str(tmp_path / "events")).Reload()
    (point,) = events.Scalars(TAG)
    assert point.step == 0
    assert point.value == pytest.approx(result["Time"].rows["matched_auroc"][0].as_py())
    assert any(tag.startswith("failed/") for tag in events.Tags()["tensors"])


@pytest.mark.parametrize(
    ("make", "missing", "extra"),
    [
        (lambda: TensorBoard("events"), "tensorboard", "tensorboard"),
        (MLflow, "mlflow", "mlflow"),
        (WeightsAndBiases, "wandb", "wandb"),
    ],
    ids=["tensorboard", "mlflow", "wandb"],
)
def test_a_missing_program_is_named_before_the_run_begins(monkeypatch, make, missing, extra):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "torch.utils.tensorboard", raising=False)
    with pytest.raises(MissingDependency, match=rf"offnominal\[{extra}\]"):
        make()
