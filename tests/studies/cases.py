"""Small cells to test with."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from offnominal.kinds import AlarmEntry, Cell, DataEntry
from offnominal.studies.failure import KILLED, ErrorInfo
from offnominal.studies.task import Task, TaskEnded, TaskResult, TaskStarted, run_task

WORLD = "SAP-Goal0-v0"
SPLIT = "action/offset@strong"
NAMES = ("KNN", "Mahalanobis", "Time")
DATA = DataEntry(episodes=6, validation=6, anomalies=("action/offset",), levels=("strong",))
ALARM = AlarmEntry("largest", "Maximum")


def small_cell(name="KNN", detector="", **changes):
    """A cell that takes a tenth of a second."""
    return Cell(WORLD, name, detector or name, **{"data": DATA, "alarms": (ALARM,), "replicates": 10, **changes})


def small_cells(*names):
    return [small_cell(name) for name in names or NAMES]


def rekeyed(rows, key):
    """The same result under another key."""
    column = rows.column_names.index("key")
    return rows.set_column(column, "key", pa.array([key] * rows.num_rows)).replace_schema_metadata(
        {**rows.schema.metadata, b"key": key.encode()}
    )


class Killing:
    """Does tasks as another pool does, but kills the workers of some a few times."""

    def __init__(self, pool, kills):
        self.pool = pool
        self.kills = kills

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def processes_per_task(self, tasks):
        return 1

    def run(self, tasks):
        for task in tasks:
            if self.kills.get(task.label, 0):
                self.kills[task.label] -= 1
                yield TaskStarted(task, "1")
                yield TaskEnded(
                    task, "1", TaskResult(error_info=ErrorInfo(KILLED, "was killed by SIGKILL.", killed=True))
                )
            else:
                yield from self.pool.run([task])


class PoolHere:
    """Does tasks in this process, one by one."""

    def __init__(self, sources):
        self.sources = sources

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def processes_per_task(self, tasks: int) -> int:
        return 1

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskStarted | TaskEnded]:
        for task in tasks:
            yield TaskStarted(task, "1")
            yield TaskEnded(task, "1", run_task(task, self.sources))


DETECTORS = {
    "__init__": "",
    "shared": "def doubled(x):\n    return 2 * x\n\n\ndef unused(x):\n    return x\n",
    "first": "from offnominal.detectors.baselines import Time\n\n\nclass First(Time):\n    pass\n",
    "second": (
        "from offnominal.detectors.baselines import Time\n\n\n"
        "class Second(Time):\n"
        "    def _score(self, episodes):\n"
        "        from .shared import doubled\n\n"
        "        return [doubled(scores) for scores in super()._score(episodes)]\n"
    ),
    "trouble": (
        "import os\nimport signal\nimport time\nfrom pathlib import Path\n\n"
        "from offnominal.detectors.baselines import Time\n\n\n"
        "class Raises(Time):\n"
        "    def _fit(self, episodes, validation, seed):\n"
        "        raise ZeroDivisionError('as it was asked to')\n\n\n"
        "class Dies(Time):\n"
        "    def _fit(self, episodes, validation, seed):\n"
        "        print('last words', flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n\n\n"
        "class Hungry(Time):\n"
        "    def _fit(self, episodes, validation, seed):\n"
        "        raise MemoryError('Unable to allocate 8 PiB')\n\n\n"
        "class Slow(Time):\n"
        "    def _fit(self, episodes, validation, seed):\n"
        "        time.sleep(0.3)\n\n\n"
        "class Once(Time):\n"
        "    def __init__(self, mark):\n"
        "        self.mark = mark\n\n"
        "    def _fit(self, episodes, validation, seed):\n"
        "        if not Path(self.mark).exists():\n"
        "            Path(self.mark).touch()\n"
        "            raise RuntimeError('the first time fails')\n\n\n"
        "def not_a_detector():\n"
        "    return 3\n"
    ),
}
