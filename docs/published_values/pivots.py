"""Tables of appendices that are made from the files of measured values: `<!-- table: pivot NAME -->`."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from offnominal.core.rounding import fixed
from published_values.rows import Row

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "measured" / "published"
EVIDENCE = ROOT / "src" / "offnominal" / "papers" / "anomaly_gym" / "evidence.csv"
NOTHING = "–"
LEVELS = ("tiny", "strong")
AS_PUBLISHED = "public-code-strengths"
METRICS = {
    "auroc": "AUROC",
    "average_precision": "AUPR",
    "fpr95": "FPR95",
    "pooled_auroc": "global AUROC",
    "pooled_average_precision": "global AUPR",
    "pooled_fpr95": "global FPR95",
}
"""Published names of the metrics of Table 12."""
PLACE = ("world", "detector", "level")
Known = dict[tuple[str, ...], Row]
CARTPOLE, PENDULUM, PONG = (6, 7, 8), (9, 10, 11), tuple(range(12, 20))
"""Numbers of the tables of each world."""
ALARM_NUMBERS = {
    "median delay": "MedDel",
    "within 5": "D5",
    "within 10": "D10",
    "within 20": "D20",
    "missed": "MR",
    "early": "EDR",
}


def pivot(name: str) -> tuple[list[Row], str]:
    """Return the rows of a table by its name in :data:`PIVOTS`, and the sentence with its files."""
    made, files = PIVOTS[name]
    links = [f"[{file}](../measured/published/{file}.csv)" for file in files]
    own = " and `papers/anomaly_gym/evidence.csv`" if made in (vectors_as_published, distance_rows) else ""
    return made(), f"*From {', '.join(links)}{own}.*"


def _table(name: str) -> list[Row]:
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _known(rows: Iterable[Row], *names: str) -> Known:
    """Return rows by the values of some columns; the last one of several."""
    return {tuple(row[name] for name in names): row for row in rows}


def _shown(row: Row | None, column: str, digits: int = 2) -> str:
    return fixed(float(row[column]), digits) if row is not None and row.get(column) else NOTHING


def _both(rows: Sequence[Row | None], column: str, digits: int = 2) -> str:
    return " / ".join(_shown(row, column, digits) for row in rows)


def _vectors(measured: Known, column: str, digits: int) -> list[Row]:
    """Return local AUROC of each world and detector, with the published values in brackets."""
    published = _known([row for row in _table("anomaly-gym-12") if row["metric"] == "AUROC"], *PLACE)
    made = []
    for world in sorted({world for world, _, _ in published}):
        row = {"world": world.removesuffix("-v0")}
        for name in ("PE-DM", "MLP-DM", "LSTM-DM", "RIQN", "KNN", "OC-SVM", "IsolationForest"):
            places = [(world, name, level) for level in LEVELS]
            ours = _both([measured.get(place) for place in places], column, digits)
            row[name] = f"{ours} ({_both([published.get(place) for place in places], 'published')})"
        made.append(row)
    return made


def vectors() -> list[Row]:
    """Return Table 12 of Anomaly-Gym: local AUROC of every world and detector."""
    return _vectors(_known([row for row in _table("anomaly-gym-12") if row["metric"] == "AUROC"], *PLACE), "ours", 2)


def vectors_as_published() -> list[Row]:
    """Return the same with the errors and strengths of the public code; its file has three digits."""
    return _vectors(_known([row for row in evidence(AS_PUBLISHED) if row["metric"] == "auroc"], *PLACE), "after", 3)


def evidence(experiment: str) -> list[Row]:
    """Return what an experiment changed in each number of Table 12, of several scales the most powerful."""
    with EVIDENCE.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["experiment"] == experiment and not row["kind"]]
    rows.sort(key=lambda row: row["scale"] == "paper")
    return list(_known([row for row in rows if row["world"].endswith("-v0")], *PLACE, "metric").values())


def distances(experiment: str, column: str, metrics: Mapping[str, str] = METRICS) -> dict[str, list[float]]:
    """Return, by world, how far the numbers of an experiment are from the published ones.

    Args:
        experiment: Its name in the file of evidence.
        column: ``"before"`` or ``"after"``.
        metrics: Names in the published table of the metrics that count.
    """
    published = _known(_table("anomaly-gym-12"), *PLACE, "metric")
    found: dict[str, list[float]] = {}
    for row in evidence(experiment):
        place = *(row[name] for name in PLACE), metrics.get(row["metric"], "")
        known = published.get(place, {"published": ""})["published"]
        if row["before"] and row["after"] and known:
            found.setdefault(row["world"], []).append(abs(float(row[column]) - float(known)))
    return found


def distance_rows() -> list[Row]:
    """Return the mean distance from the published numbers with ours and with the public code, by world."""
    ours, theirs = (distances(AS_PUBLISHED, column) for column in ("before", "after"))
    return [
        {
            "world": world.removesuffix("-v0"),
            "numbers": str(len(ours[world])),
            "ours": fixed(fmean(ours[world]), 3),
            "errors and strengths as published": fixed(fmean(theirs[world]), 3),
        }
        for world in sorted(ours)
    ]


def groups() -> list[Row]:
    """Return Table 3 of Anomaly-Gym: PE-DM by group of worlds and kind of fault."""
    found = _known(_table("anomaly-gym-3"), "worlds", "faults", "level")
    made = []
    for worlds, faults in dict.fromkeys(key[:2] for key in found):
        pair = [found[worlds, faults, level] for level in LEVELS]
        made.append(
            {
                "worlds": worlds,
                "faults": faults,
                "ours": _both(pair, "ours"),
                "published": _both(pair, "published"),
                "verdict": " / ".join(row["outcome"] for row in pair),
            }
        )
    return made


def alarms() -> list[Row]:
    """Return Table 4 of Anomaly-Gym: ours, and the published numbers in brackets."""
    found = _known(_table("anomaly-gym-4"), "alarm", "detector", "number")
    made = []
    for alarm, detector in dict.fromkeys(key[:2] for key in found):
        row = {"alarm": alarm, "detector": detector}
        for label, number in ALARM_NUMBERS.items():
            each, digits = found[alarm, detector, number], 1 if number == "MedDel" else 2
            row[label] = f"{_shown(each, 'ours', digits)} ({_shown(each, 'published', digits)})"
        made.append(row)
    return made


def images() -> list[Row]:
    """Return the worlds of Table 13 of Anomaly-Gym with more than one training seed: ours and published, at strong."""
    found = _known(
        [row for row in _table("anomaly-gym-13-images") if (row["metric"], row["level"]) == ("AUROC", "strong")],
        "detector",
        "world",
    )
    worlds = ["MJC-CartpoleSwingup", "MJC-HalfCheetah", "MJC-Reacher3D", "SAP-Goal0", "SAP-Goal1", "SAP-Goal2"]
    return [
        {"detector": name}
        | {
            world.removeprefix("MJC-").removesuffix("Swingup"): " / ".join(
                _shown(found.get((name, f"{world}-v0")), column) for column in ("ours", "published")
            )
            for world in worlds
        }
        for name in ("LDM", "LRDM", "AE-Pred", "PredNet", "RSSM-PPM")
    ]


def published_images() -> list[Row]:
    """Return the published local AUROC of lane keeping and the arm in Table 13 of Anomaly-Gym."""
    rows = [row for row in _table("anomaly-gym-13-images") if row["metric"] == "AUROC"]
    found = _known(rows, "detector", "world", "level")
    names = ["LRDM", "LDM", "AE-Pred", "PredNet", "RES-KNN", "CLIP-Sim", "DINO-Patch", "RSSM-PPM"]
    return [
        {"detector": name}
        | {
            world: _both([found.get((name, f"{world}-v0", level)) for level in LEVELS], "published")
            for world in ("CAR-LaneKeep", "URM-PnP", "URM-Reach", "URR-Reach")
        }
        for name in names
    ]


def _settings(world: str, numbers: Sequence[int]) -> list[Row]:
    """Return published settings of a world in which agents fail: ours and the published AUC."""
    made = []
    for number in numbers:
        for row in _table(f"ood-rl-{number}"):
            alone = row["± agents"] == NOTHING
            made.append(
                {
                    world: row["method"],
                    "setting": row["setting"],
                    "first agent": _shown(row, "ours", 3) if alone else row["first agent"],
                    "all agents": NOTHING if alone else f"{_shown(row, 'ours', 3)}&nbsp;±&nbsp;{row['± agents']}",
                    "trials": row["± trials"],
                    "published": f"{_shown(row, 'published', 3)}&nbsp;±&nbsp;{row['± published']}",
                    "verdict": row["outcome"],
                }
            )
    return made


PIVOTS: dict[str, tuple[Callable[[], list[Row]], Sequence[str]]] = {
    "vectors": (vectors, ["anomaly-gym-12"]),
    "vectors-as-published": (vectors_as_published, ["anomaly-gym-12"]),
    "distances": (distance_rows, ["anomaly-gym-12"]),
    "groups": (groups, ["anomaly-gym-3"]),
    "alarms": (alarms, ["anomaly-gym-4"]),
    "images": (images, ["anomaly-gym-13-images"]),
    "published-images": (published_images, ["anomaly-gym-13-images"]),
    "cartpole": (lambda: _settings("CartPole", CARTPOLE), [f"ood-rl-{number}" for number in CARTPOLE]),
    "pendulum": (lambda: _settings("Pendulum", PENDULUM), [f"ood-rl-{number}" for number in PENDULUM]),
    "pong": (lambda: _settings("Pong", PONG), [f"ood-rl-{number}" for number in PONG]),
}
"""What makes each table, and the files of published values beside ours that it is made from."""
