"""Studies over datasets, environments of other packages, own faults and own policies."""

import sys

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import NetworkPolicy
from offnominal.agents.files import PolicyCard, save_policy
from offnominal.core.episode import Episode
from offnominal.core.errors import (
    InvalidChannels,
    InvalidParameter,
    MissingFile,
    ModuleNotAllowed,
    UnknownName,
    UnsupportedEnvironment,
)
from offnominal.datasets import save_dataset
from offnominal.kinds import AlarmEntry, Cell, DataEntry, FaultEntry
from offnominal.kinds.faults.data import content_hash, open_data
from offnominal.kinds.faults.foreign_code import foreign_version
from offnominal.kinds.transfer.study import TransferStudy
from offnominal.reports.fault_page import fault_page as page
from offnominal.studies import DetectorEntry, open_run, run, run_cell, verify_run
from offnominal.studies.catalogue import parse

pytestmark = pytest.mark.long

PACKAGE = """
import gymnasium
import numpy as np
from gymnasium.spaces import Box


class Tank(gymnasium.Env):
    observation_space = Box(-1, 1, (2,), np.float32)
    action_space = Box(0, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.steps = self.np_random.uniform(0.2, 0.8), 0
        return np.array([0.5 - self.level, 0.0], np.float32), {}

    def step(self, action):
        self.level = np.clip(0.8 * self.level + 0.2 * float(action[0]) + 0.01 * self.np_random.normal(), 0, 1)
        self.steps += 1
        return np.array([0.5 - self.level, action[0]], np.float32), 0.0, False, self.steps == 12, {}


def make_tank():
    return Tank()


def control(observations):
    return np.clip(0.5 + 2.0 * observations[:, :1], 0.0, 1.0)


def nothing():
    return None


number = 3
"""
OFFSET = FaultEntry("observation/offset", parameter=0.3, schedule=4, channels=(0,))
DATA = DataEntry(episodes=6, nominal=8, validation=6, faults=(OFFSET,))
SILENT = {"workers": 1, "report": lambda line: None}


@pytest.fixture
def tanks(tmp_path, monkeypatch):
    """A module with an environment and a policy, in the working directory."""
    (tmp_path / "own_tanks.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield "own_tanks"
    sys.modules.pop("own_tanks", None)


def episodes(n, shift=0.0, seed=0):
    """Episodes of ten steps; with a shift, the second half is labelled."""
    rng, active = np.random.default_rng(seed), np.arange(10) >= 5
    for number in range(n):
        observations = rng.normal(size=(11, 2)) + shift * np.append(False, active)[:, None]
        yield Episode(observations, np.zeros((10, 0)), np.zeros(10), active & (shift > 0), seed=seed + number)


def write_log(folder, *leave_out, shift=4.0):
    splits = {"train": episodes(8), "validation": episodes(6, seed=100), "test": episodes(6, seed=200)}
    splits["pump failures"] = episodes(6, shift, 300)
    kept = {name: part for name, part in splits.items() if name not in leave_out}
    return save_dataset(folder, kept, world="pump", overwrite=True)


def study(*worlds, **changes):
    fields = {
        "detectors": (DetectorEntry("Mahalanobis"), DetectorEntry("Time")),
        "alarms": (AlarmEntry("largest", "Maximum"),),
        "data": DATA,
        "replicates": 5,
    }
    return off.Study("mine", worlds=worlds, **{**fields, **changes})


def cell(world, policy="", **changes):
    return study(world, policies=(policy or "expert",), **changes).cells()[0]


@pytest.mark.usefixtures("in_process")
def test_a_dataset_and_an_environment_run_resume_and_are_reported(tmp_path, tanks):
    write_log("logs/pump")
    mixed = study("logs/pump", f"{tanks}:make_tank", policies=(f"{tanks}:control",))
    places = {"folder": tmp_path / "run", "store": tmp_path / "store"}
    folder, outcome = run(mixed, **places, **SILENT)
    assert (outcome.computed, outcome.complete) == (4, True)
    found = open_run(folder)
    rows = found.table.to_pylist()
    assert {(row["world"], row["split"], row["kind"], row["level"]) for row in rows} == {
        ("logs/pump", "pump failures", "labelled", "pump failures"),
        ("own_tanks:make_tank", "observation/offset@0.3", "observation", "0.3"),
    }
    best = [row for row in rows if row["name"] == "Mahalanobis" and row["alarm"] is None]
    assert all(row["matched_auroc"] > 0.9 for row in best)
    assert "own_tanks:make_tank" in page(found)
    assert run(mixed, **places, **SILENT)[1].reused == 4
    assert {label for label, problem in verify_run(folder, 1.0, allow_modules=[tanks]) if not problem} == {
        "logs/pump/Mahalanobis/0",
        "logs/pump/Time/0",
        "own_tanks:make_tank/own_tanks:control/Mahalanobis/0",
        "own_tanks:make_tank/own_tanks:control/Time/0",
    }
    with pytest.raises(ModuleNotAllowed, match="--allow-module own_tanks"):
        verify_run(folder, 1.0)

    write_log("logs/pump", shift=1.0)
    problems = dict(verify_run(folder, 1.0, allow_modules=[tanks]))
    assert "was computed with other data; run its study again. Now " in problems["logs/pump/Mahalanobis/0"]
    assert not problems["own_tanks:make_tank/own_tanks:control/Time/0"]
    again = run(mixed, **places, **SILENT)[1]
    assert (again.computed, again.reused) == (2, 2)


def test_a_damaged_dataset_is_an_error_and_not_an_old_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = write_log("pump")
    path = data["train"].path
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(off.OffnominalError, match="has SHA-256"):
        list(open_data(cell("pump"))["train"])


def test_a_labelled_test_split_is_faulty_and_is_compared_with_validation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    splits = {"train": episodes(8), "validation": episodes(6, seed=100), "test": episodes(6, 4.0, 300)}
    save_dataset("pump", splits, world="pump")
    rows = run_cell(cell("pump", alarms=())).rows.to_pylist()
    assert [row["split"] for row in rows] == ["test"]
    assert rows[0]["matched_auroc"] > 0.9


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        (("train",), "has no split 'train'"),
        (("pump failures",), "has no split with faults"),
        (("test", "validation"), "has no nominal split besides 'train'"),
        (("validation",), "has no split 'validation'; alarms are calibrated on its scores"),
    ],
)
def test_a_dataset_that_lacks_a_split_is_named(tmp_path, monkeypatch, left_out, said):
    monkeypatch.chdir(tmp_path)
    write_log("pump", *left_out)
    with pytest.raises(InvalidParameter, match=said):
        open_data(cell("pump"))


@pytest.mark.parametrize(
    ("world", "policy", "changes", "error", "said"),
    [
        ("own_tanks:nothing", "random", {}, UnsupportedEnvironment, "returned a NoneType; expected a Gymnasium env"),
        ("own_tanks:number", "random", {}, InvalidParameter, "'own_tanks:number' is a int; expected a function"),
        ("own_tanks:make_tnk", "random", {}, UnknownName, "has no 'make_tnk'. Did you mean 'make_tank'"),
        ("no_tanks:make_tank", "random", {}, UnknownName, "there is no module 'no_tanks' for 'no_tanks:make_tank'"),
        ("own_tanks:make_tank", "own_tanks:number", {}, InvalidParameter, "is a int; expected a Policy, or a func"),
        ("own_tanks:make_tank", "own_tanks:Tank", {}, InvalidParameter, "is the class Tank; expected a subclass of Po"),
        ("own_tanks:make_tank", "tqc", {}, UnknownName, "no trained policy 'Tank by tqc'"),
        ("own_tanks:make_tank", "random", {"faults": ()}, InvalidParameter, r"list faults as \[\[data.faults\]\]"),
        (
            "own_tanks:make_tank",
            "random",
            {"faults": (OFFSET.replace(channels=("lvl",)),)},
            InvalidChannels,
            "observation/offset: no channel 'lvl'",
        ),
        (
            "own_tanks:make_tank",
            "random",
            {"faults": (FaultEntry("action/noise", "strong"),)},
            UnknownName,
            "no level of it is calibrated yet; give a number",
        ),
    ],
)
def test_an_invalid_environment_policy_or_fault_is_named(tanks, world, policy, changes, error, said):
    with pytest.raises(error, match=said):
        open_data(cell(world, policy, data=DATA.replace(**changes)))


@pytest.mark.parametrize(
    ("build", "error", "said"),
    [
        (lambda: study("SAP-Goal"), UnknownName, "Did you mean 'SAP-Goal0-v0'.*nor the folder of a dataset"),
        (lambda: study("my package:make"), InvalidParameter, "is not the path of a class"),
        (lambda: study("Pendulum-v1", policies=("agent.zip",)), MissingFile, "agent.zip does not exist"),
        (lambda: FaultEntry("action/noise"), InvalidParameter, "needs a strength or a parameter"),
        (lambda: FaultEntry("action/noise", "strong", 0.1), InvalidParameter, "needs a strength or a parameter"),
        (lambda: FaultEntry("action/nois", "strong"), UnknownName, "Did you mean 'action/noise'"),
        (lambda: FaultEntry("action/noise", parameter=-1.0), InvalidParameter, "expected at least 0"),
        (
            lambda: DataEntry(faults=(OFFSET, OFFSET)),
            InvalidParameter,
            "two faults are called 'observation/offset@",
        ),
        (lambda: DataEntry(faults=(OFFSET,), levels=("strong",)), InvalidParameter, "besides anomalies or levels"),
        (
            lambda: DataEntry.from_dict({"faults": [{"anomaly": "action/noise", "schedule": {"onst": 3}}]}),
            InvalidParameter,
            "Schedule has no field 'onst'. Did you mean 'onset'. It has: onset, duration",
        ),
    ],
)
def test_a_mistake_in_a_study_is_named_when_it_is_read(build, error, said):
    with pytest.raises(error, match=said):
        build()


@pytest.mark.parametrize("line", ['worlds = ["own_tanks:make_tank"]', 'policies = ["own_tanks:control"]'])
def test_a_file_names_functions_of_allowed_packages_only(tanks, line):
    text = f'name = "mine"\n{line}\n[[detectors]]\nname = "Time"\n'
    text = text if "worlds" in line else f'worlds = ["Pendulum-v1"]\n{text}'
    with pytest.raises(ModuleNotAllowed, match="--allow-module own_tanks"):
        parse(text, "mine.toml")
    assert tanks not in sys.modules
    assert parse(text, "mine.toml", allow_modules=[tanks]).cells()


def test_a_policy_file_is_identified_by_its_content(tanks, tmp_path):
    data = DATA.replace(twins=False, max_steps=8)

    def recorded(scale):
        layers = [(np.full((2, 1), scale), np.zeros(1))]
        policy = NetworkPolicy(layers, sys.modules[tanks].Tank.action_space, squash=True)
        save_policy("mine.safetensors", policy, PolicyCard("Tank", "mine", (0.0,), (1.0,)))
        return open_data(cell(f"{tanks}:make_tank", "mine.safetensors", data=data))

    __import__(tanks)
    first, second, third = recorded(0.5), recorded(1.0), recorded(0.5)
    assert len(first["train"][0]) == 8
    assert content_hash(first) == content_hash(third) != content_hash(second)


def test_an_agent_of_stable_baselines_is_read_for_the_environment(tanks, tmp_path, monkeypatch):
    read = []

    def import_sb3(path, env):
        read.append((path, env(1).card.id))
        return NetworkPolicy([(np.ones((2, 1)), np.zeros(1))], sys.modules[tanks].Tank.action_space)

    monkeypatch.setattr("offnominal.studies.named_policy.import_sb3", import_sb3)
    (tmp_path / "agent.zip").write_bytes(b"weights")
    data = open_data(cell(f"{tanks}:make_tank", "agent.zip", data=DATA.replace(twins=False)))
    assert read == [("agent.zip", "Tank")]
    assert data.manifest.recipe.policy == "agent.zip"


def test_the_code_of_an_environment_and_of_a_policy_is_part_of_its_data(tanks, tmp_path):
    before = foreign_version(f"{tanks}:make_tank", f"{tanks}:control", ())
    module = tmp_path / "own_tanks.py"
    module.write_text(PACKAGE.replace("0.2 * float", "0.3 * float"), encoding="utf-8")
    assert foreign_version(f"{tanks}:make_tank", f"{tanks}:control", ()) != before
    module.write_text(PACKAGE + "\n\ndef unused():\n    return 4\n", encoding="utf-8")
    assert foreign_version(f"{tanks}:make_tank", f"{tanks}:control", ()) == before
    assert foreign_version("Pendulum-v1", "random", ())


def test_a_fault_may_be_that_of_some_worlds_only():
    noise = FaultEntry("action/noise", parameter=0.1, worlds=("Pendulum-v1",))
    faults = (OFFSET, noise, noise.replace(parameter=0.2, name="0.1", worlds=("SAP-Goal0-v0",)))
    cells = study("SAP-Goal0-v0", "Pendulum-v1", policies=("random",), data=DATA.replace(faults=faults)).cells()
    parameters = [[fault.parameter for fault in each.data.faults] for each in (cells[0], cells[-1])]
    assert parameters == [[0.3, 0.2], [0.3, 0.1]]
    with pytest.raises(InvalidParameter, match="two faults are called 'action/noise@"):
        DATA.replace(faults=(noise, noise.replace(worlds=None)))
    with pytest.raises(UnknownName, match="Did you mean 'Pendulum-v1'"):
        study("Pendulum-v1", data=DATA.replace(faults=(noise.replace(worlds=("Pendulm-v1",)),)))


def test_detectors_are_transferred_between_datasets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_log("pump")
    write_log("other", shift=3.0)
    transfer = TransferStudy("mine", worlds=("pump", "other"), detectors=(DetectorEntry("Mahalanobis"),), replicates=5)
    cells = transfer.cells()
    assert [each.label for each in cells] == ["pump/Mahalanobis/0", "other/Mahalanobis/0"]
    rows = run_cell(cells[0]).rows.to_pylist()
    assert {(row["train_world_name"], row["world"], row["split"]) for row in rows} == {
        ("pump", "pump", "pump failures"),
        ("pump", "other", "pump failures"),
    }


def test_faults_of_the_catalogue_leave_cells_as_they_were():
    plain = DataEntry(episodes=6)
    assert not {"faults", "max_steps"} & set(plain.to_dict())
    assert DataEntry.from_dict(DATA.to_dict()) == DATA
    assert "modules" not in cell("SAP-Goal0-v0").to_dict()


def test_faults_can_have_the_published_parameters():
    data = DataEntry(episodes=2, nominal=2, validation=2, anomalies=("action/noise", "action/drift"), levels=("tiny",))
    cells = [Cell("SAP-Goal0-v0", "KNN", "KNN", data=each) for each in (data, data.replace(published_strengths=True))]
    ours, published = ({cell.name: cell.parameter for cell in open_data(cell).manifest.recipe.cells} for cell in cells)
    assert published["action/noise@tiny"] == pytest.approx(0.29, abs=0.01) != ours["action/noise@tiny"]
    assert published["action/drift@tiny"] == ours["action/drift@tiny"]


def test_faults_without_a_published_parameter_can_have_no_effect():
    data = DataEntry(
        episodes=3,
        nominal=2,
        validation=2,
        anomalies=("action/noise", "action/delay", "observation/quantisation", "dynamics/moving_objects"),
        levels=("tiny", "strong"),
        published_strengths=True,
        unpublished_neutral=True,
    )
    found = open_data(Cell("SAP-Goal0-v0", "KNN", "KNN", data=data))
    strengths = {cell.name: cell.parameter for cell in found.manifest.recipe.cells}
    assert strengths["action/noise@strong"] == pytest.approx(2.0, abs=0.01)
    assert strengths["dynamics/moving_objects@strong"] == pytest.approx(4.87, abs=0.01)
    for name in ("action/delay@tiny", "action/delay@strong", "observation/quantisation@tiny"):
        episodes, nominal = found[name], found["twins"]
        assert [each.observations.tolist() for each in episodes] == [each.observations.tolist() for each in nominal]


def test_neutral_faults_need_published_ones():
    with pytest.raises(InvalidParameter, match="set both or none"):
        DataEntry(unpublished_neutral=True)
