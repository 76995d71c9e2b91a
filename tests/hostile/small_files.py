"""One small file of every kind that carries a checksum, how it is read, and its content to the last bit."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa

from offnominal.agents.files import load_policy, read_card
from offnominal.agents.weights import shipped_names
from offnominal.alarms import (
    EpisodeMaximum,
    ThreeSigma,
    TimeBand,
    WindowMaximum,
    load_alarm,
    save_alarm,
    simulate_scores,
)
from offnominal.anomalies.matched_strengths import MatchedStrength, read_matched_strengths, write_matched_strengths
from offnominal.anomalies.strengths import (
    calibrated_strengths,
    published_strengths,
    read_published_strengths,
    read_strengths,
    write_strengths,
)
from offnominal.core.checksum import write_checked_text
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile
from offnominal.datasets.manifest import Manifest, read_manifest
from offnominal.datasets.novelcraft import NovelCraftRecipe
from offnominal.datasets.novelcraft.novelcraft_manifest import NovelCraftManifest, read_novelcraft_manifest
from offnominal.datasets.scenes.index import SceneManifest
from offnominal.detectors import load_detector, make_detector, save_detector
from offnominal.detectors.diagnosis import Explanation, FaultLibrary, NominalReference
from offnominal.detectors.scenes.network_record import read_record
from offnominal.detectors.scenes.trained_networks import FOLDER as TRAINED
from offnominal.studies import example_episodes
from offnominal.studies.failure import Failure
from offnominal.studies.files import read_table, write_table
from offnominal.studies.generation import Generation, read_generation
from offnominal.studies.run_manifest import read_run, write_manifest
from offnominal.studies.store import Store
from offnominal.worlds.road.scenarios import make_scenarios, read_scenario_file, write_scenarios

POLICIES = Path(read_card.__code__.co_filename).parent / "trained"


def alarm(kind, **options):
    def make(folder):
        save_alarm(folder / "alarm.json", kind(**options).fit(simulate_scores(60, steps=(4, 9), seed=3)))
        return folder / "alarm.json"

    return make


def detector(folder):
    draw = np.random.default_rng(0)
    episodes = [
        Episode(draw.normal(size=(6, 2)), draw.normal(size=(5, 1)), np.zeros(5), np.zeros(5, bool)) for _ in range(3)
    ]
    save_detector(folder / "knn", make_detector("KNN", n_neighbors=2).fit(episodes))
    return folder / "knn.json"


def policy(folder):
    name = next(name for name in shipped_names() if (POLICIES / f"{name}.safetensors").exists())
    for suffix in (".json", ".safetensors"):
        shutil.copyfile(POLICIES / f"{name}{suffix}", folder / f"policy{suffix}")
    return folder / "policy.json"


def training_record(folder):
    return Path(shutil.copyfile(TRAINED / "REAL.training.json", folder / "REAL.training.json"))


def explanation(seed, size):
    values = np.random.default_rng(seed).normal(size=(40, 1))
    values[20:] += size
    return Explanation("Toy", values.sum(axis=1), values, ("left",), 2, "sum", np.zeros(40))


def fault_library(folder):
    reference, made = NominalReference([explanation(seed, 0.0) for seed in range(20)]), FaultLibrary()
    for name, size in (("leak", 9.0), ("stuck", 30.0)):
        made.record(name, explanation(20, size).compared(reference), onset=20)
    made.save(folder / "faults.json")
    return folder / "faults.json"


def scenarios(folder):
    (name,) = write_scenarios(make_scenarios("smoke", seed=5)[-1:], folder / "set")
    return folder / "set" / name


def strengths(folder):
    write_strengths(folder / "strengths.csv", calibrated_strengths()[:3])
    return folder / "strengths.csv"


def some_matched_strengths(folder):
    line = MatchedStrength("SAP-Goal0-v0", "action/noise", "", "auroc-75", 0.75, True, 0.4, 0.76, 0.74, 0.78)
    write_matched_strengths(folder / "matched.csv", [line, line.replace(level="auroc-90", attainable=False)])
    return folder / "matched.csv"


def some_published_strengths(folder):
    rows = [",".join((*key, f"{value:g}", "0.9")) for key, value in list(published_strengths().items())[:4]]
    write_checked_text(folder / "published.csv", "\n".join(["world,anomaly,level,parameter,score", *rows, ""]))
    return folder / "published.csv"


def example(folder):
    row = {"key": "a" * 64, "world": "SAP", "name": "KNN", "scores": [0.5, 1.0, 2.0], "alarms": json.dumps({"A": 2})}
    table = pa.Table.from_pylist([row], example_episodes.SCHEMA)
    write_table(folder / "example.parquet", table, staging=folder, split=("scores", "twin_scores"))
    return folder / "example.parquet"


def run_manifest(folder):
    write_manifest(folder, {"study": "mine", "scale": "smoke"}, [], [], folder / "store", part=False)
    return folder / "run.json"


def failure(folder):
    Store(folder / "store").fail(
        Failure("a" * 64, "KNN/0", "ValueError", "3 is too large", "line 3", {"seed": 3}, "now")
    )
    return folder / "store" / "failures" / f"{'a' * 64}.json"


def read_failure(path):
    """Return a failure; the store computes a cell again whose failure is damaged."""
    found = Store(path.parents[1]).failure(path.stem)
    if found is None:
        raise DamagedFile(f"{path} is not read.")
    return found


def generation(folder):
    Generation("c0ffee", 3, 7).write(folder)
    return folder / "generation.json"


def dataset_manifest(folder):
    Manifest.here("SAP-Goal0-v0", "save").write(folder)
    return folder / "manifest.json"


def scene_manifest(folder):
    made = SceneManifest.here("compact", "0" * 64).with_sha256()
    (folder / "scenes.json").write_text(json.dumps(made.to_dict(), indent=2))
    return folder / "scenes.json"


def novelcraft_manifest(folder):
    made = NovelCraftManifest.here(NovelCraftRecipe()).with_sha256()
    (folder / "novelcraft.json").write_text(json.dumps(made.to_dict(), indent=2))
    return folder / "novelcraft.json"


def arrays(loaded):
    """Return the parameters of a detector, and its arrays to the last bit."""
    return loaded.get_params(), {name: (v.dtype.str, v.shape, v.tobytes()) for name, v in loaded.state_dict().items()}


def as_dict(loaded):
    return loaded.to_dict()


def signatures(library):
    return vars(library) | {"_signatures": [each.values() for each in library._signatures]}


def of_folder(read):
    return lambda path: read(path.parent)


KINDS = {
    "alarm EpisodeMaximum": (alarm(EpisodeMaximum, alpha=0.1), load_alarm, as_dict),
    "alarm with confidence": (alarm(EpisodeMaximum, alpha=0.1, confidence=0.9), load_alarm, as_dict),
    "alarm TimeBand": (alarm(TimeBand, alpha=0.1), load_alarm, as_dict),
    "alarm WindowMaximum": (alarm(WindowMaximum, alpha=0.1, window=4, period=0.1), load_alarm, as_dict),
    "alarm ThreeSigma": (alarm(ThreeSigma), load_alarm, as_dict),
    "card of a detector": (detector, lambda path: load_detector(path.with_suffix("")), arrays),
    "record of a training": (
        training_record,
        lambda path: read_record(path.with_name(path.name.removesuffix(".training.json"))),
        as_dict,
    ),
    "card of a policy": (policy, load_policy, lambda loaded: loaded[1].to_dict()),
    "library of faults": (fault_library, FaultLibrary.load, signatures),
    "scenario file": (scenarios, read_scenario_file, as_dict),
    "table of strengths": (strengths, read_strengths, repr),
    "table of equally detectable strengths": (some_matched_strengths, read_matched_strengths, repr),
    "table of published strengths": (some_published_strengths, read_published_strengths, repr),
    "table of results": (example, read_table, lambda table: table.replace_schema_metadata(None).to_pydict()),
    "manifest of a run": (run_manifest, of_folder(read_run), repr),
    "failure of a cell": (failure, read_failure, as_dict),
    "generation of a store": (generation, of_folder(read_generation), as_dict),
    "manifest of a dataset": (dataset_manifest, of_folder(read_manifest), as_dict),
    "manifest of driving scenes": (scene_manifest, of_folder(SceneManifest.read), as_dict),
    "manifest of a NovelCraft set": (novelcraft_manifest, of_folder(read_novelcraft_manifest), as_dict),
}
"""What makes a file in a folder and returns its path, what reads it, and what returns all of its content."""
