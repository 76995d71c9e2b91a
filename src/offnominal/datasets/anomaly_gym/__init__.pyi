# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.anomaly_gym.defects import Defect as Defect
from offnominal.datasets.anomaly_gym.defects import known_defects as known_defects
from offnominal.datasets.anomaly_gym.published_names import ENVIRONMENTS as ENVIRONMENTS
from offnominal.datasets.anomaly_gym.recorded_split import RecordedSplit as RecordedSplit
from offnominal.datasets.anomaly_gym.recordings import AnomalyGymRecordings as AnomalyGymRecordings
from offnominal.datasets.anomaly_gym.recordings import import_anomaly_gym as import_anomaly_gym
from offnominal.datasets.anomaly_gym.recordings import open_anomaly_gym as open_anomaly_gym

__all__ = [
    "AnomalyGymRecordings",
    "Defect",
    "ENVIRONMENTS",
    "RecordedSplit",
    "import_anomaly_gym",
    "known_defects",
    "open_anomaly_gym",
]
