"""Other Parquet readers find plain tables."""

import numpy as np
import pytest

from offnominal.datasets import Recipe, generate

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "small"
    return generate(
        Recipe.for_world("SAP-Goal0-v0", episodes=4, strengths={("action/noise", "tiny"): 0.4}, twins=True), folder
    )


def test_pandas_reads_a_split(data):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    split = data["action/noise@tiny"]
    frame = pandas.read_parquet(split.path)
    assert frame["reward"].sum() == pytest.approx(sum(episode.total_reward for episode in split))
    assert frame.groupby("seed")["step"].max().tolist() == split.lengths.tolist()


def test_duckdb_joins_a_fault_with_its_twin(data):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows = duckdb.sql(
        f"""
        SELECT seed, min(step) FROM '{data["action/noise@tiny"].path}' AS faulty
        JOIN '{data["twins"].path}' AS nominal USING (seed, step)
        WHERE faulty."observation.agent x" <> nominal."observation.agent x" GROUP BY seed ORDER BY seed
        """
    ).fetchall()
    found = dict(rows)
    for nominal, faulty in zip(data["twins"], data["action/noise@tiny"], strict=True):
        length = min(len(nominal), len(faulty)) + 1
        differs = np.flatnonzero(nominal.observations[:length, 4] != faulty.observations[:length, 4])
        assert found.get(nominal.seed) == (int(differs[0]) if differs.size else None)


def test_all_splits_are_one_table_to_a_pattern(data):
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    pattern = data.folder / "splits" / "*.parquet"
    ((count,),) = duckdb.sql(f"SELECT count(reward) FROM '{pattern}'").fetchall()
    assert count == sum(entry.steps for entry in data.manifest.splits.values())
