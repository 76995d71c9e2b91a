"""`offnominal verify` of files that carry a checksum."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.anomalies.strengths import calibrated_strengths
from offnominal.cli.program import program
from offnominal.cli.small_files import SMALL_FILES, small_file
from offnominal.core.checksum import KEY, read_checked_json, write_checked_json
from offnominal.core.errors import InvalidParameter
from offnominal.core.files import write_json
from offnominal.detectors.scenes.trained_networks import FOLDER as TRAINED

from ..hostile.small_files import KINDS, POLICIES

pytestmark = pytest.mark.long

OF_FOLDERS = tuple(name for name in KINDS if name.startswith("manifest"))
TABLES = tuple(Path(calibrated_strengths.__wrapped__.__code__.co_filename).parent.glob("*strengths.csv"))
SHIPPED = sorted([*POLICIES.glob("*.json"), *TRAINED.glob("*.json"), *TABLES])
FILES = tuple(name for name in KINDS if name not in OF_FOLDERS)


def verify(*words):
    return CliRunner().invoke(program, ["verify", *map(str, words)], env={"COLUMNS": "200"})


@pytest.fixture
def made(tmp_path):
    return lambda kind: KINDS[kind][0](tmp_path)


@pytest.mark.parametrize("kind", FILES)
def test_an_intact_file_of_every_kind_is_recognised(made, kind):
    path = made(kind)
    name = "alarm" if kind.startswith("alarm") else kind
    result = verify(path)
    assert result.exit_code == 0, result.output
    assert f"is intact: a valid {name} with its checksum." in result.output
    assert small_file(path).name == name
    assert json.loads(verify(path, "--json").output) == [{"file": str(path), "problem": ""}]


def test_every_kind_of_file_is_tried():
    assert {each.name for each in SMALL_FILES} <= {"alarm", *FILES}


@pytest.mark.parametrize("kind", FILES)
def test_a_flipped_bit_is_a_problem_and_exit_code_one(made, kind):
    path = made(kind)
    content = bytearray(path.read_bytes())
    place = content.index(b'"', len(content) // 2) + 1 if path.suffix == ".json" else len(content) // 2
    content[place] ^= 1
    path.write_bytes(content)
    result = verify(path)
    assert result.exit_code == 1, result.output
    (row,) = json.loads(verify(path, "--json").output)
    assert path.name in row["problem"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda each: each.name)
def test_every_shipped_file_is_intact(path):
    result = verify(path)
    assert result.exit_code == 0, result.output


def test_a_file_without_a_checksum_is_a_problem_until_it_is_renewed(made):
    path = made("alarm EpisodeMaximum")
    write_json(path, read_checked_json(path))
    result = verify(path)
    assert result.exit_code == 1
    assert "has no checksum" in result.output
    assert verify(path, "--renew").exit_code == 0
    assert verify(path).exit_code == 0


def lines_without_checksum(path):
    return [line for line in path.read_text().splitlines() if "checksum" not in line and "card_sha256" not in line]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("library of faults", lambda text: text.replace('"quantile": 0.95', '"quantile": 0.9')),
        ("card of a policy", lambda text: text.replace('"steps": ', '"steps": 1')),
        ("table of strengths", lambda text: text.replace("CAR-", "CBR-")),
        ("table of published strengths", lambda text: text.replace("CAR-", "CBR-")),
    ],
)
def test_a_deliberate_change_gets_a_new_checksum(made, kind, change):
    path = made(kind)
    path.write_text(change(path.read_text()))
    assert verify(path).exit_code == 1
    before = lines_without_checksum(path)
    assert verify(path, "--renew").exit_code == 0
    assert verify(path).exit_code == 0
    assert lines_without_checksum(path) == before


def test_a_file_that_its_reader_refuses_gets_no_new_checksum(made):
    path = made("alarm EpisodeMaximum")
    write_checked_json(path, data := read_checked_json(path))
    write_json(path, {KEY: "0" * 64, **data, "options": {**data["options"], "alpha": 0.05}})
    before = path.read_bytes()
    result = verify(path, "--renew")
    assert result.exit_code == 1
    assert "too few" in result.output or "expected" in result.output
    assert path.read_bytes() == before


def test_the_weights_of_a_detector_lead_to_its_card(made):
    path = made("card of a detector").with_suffix(".safetensors")
    assert verify(path).exit_code == 0
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    result = verify(path)
    assert result.exit_code == 1
    assert "its card says" in result.output


def test_the_manifest_of_a_folder_leads_to_the_folder(made):
    result = verify(made("manifest of a dataset"))
    assert result.exit_code == 0, result.output
    assert "0 splits match the manifest" in result.output


@pytest.mark.parametrize("text", ['{"a": 1}', "a,b\n1,2\n", "", "\0\0", "# checksum: \n"])
def test_another_file_is_named_with_what_can_be_verified(tmp_path, text):
    (tmp_path / "other.txt").write_text(text)
    result = verify(tmp_path / "other.txt")
    assert isinstance(result.exception, InvalidParameter)
    assert "expected a folder, or one of: alarm, card of a detector" in str(result.exception)


def test_only_files_have_a_checksum_to_renew(tmp_path):
    assert "--renew is for such files" in str(verify(tmp_path, "--renew").exception)
