"""Made-up results of the studies of Anomaly-Gym."""

import pyarrow as pa

from offnominal.studies.results import RunResults

NUMBERS = ("auroc", "average_precision", "fpr95", "pooled_auroc", "pooled_average_precision", "pooled_fpr95")


def row(world, name, level, alarm=None, anomaly="action/offset", policy="tqc", seed=0, episodes=20, **numbers):
    split, kind = f"{anomaly}@{level}", anomaly.partition("/")[0]
    about = {"world": world, "policy": policy, "name": name, "seed": seed, "split": split, "kind": kind, "level": level}
    return about | {"alarm": alarm, "episodes": episodes} | dict.fromkeys(NUMBERS, None) | numbers


def run(rows, name="anomaly-gym"):
    return RunResults(name, "", "", "", {}, pa.Table.from_pylist(rows), pa.table({}))
