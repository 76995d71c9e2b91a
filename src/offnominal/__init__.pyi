# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal import agents as agents
from offnominal import alarms as alarms
from offnominal import anomalies as anomalies
from offnominal import calibration as calibration
from offnominal import cli as cli
from offnominal import core as core
from offnominal import datasets as datasets
from offnominal import detectors as detectors
from offnominal import evaluation as evaluation
from offnominal import kinds as kinds
from offnominal import laws as laws
from offnominal import papers as papers
from offnominal import reports as reports
from offnominal import rollouts as rollouts
from offnominal import sensing as sensing
from offnominal import studies as studies
from offnominal import watch as watch
from offnominal import web as web
from offnominal import worlds as worlds
from offnominal._version import __version__ as __version__
from offnominal.agents import Policy as Policy
from offnominal.agents import expert as expert
from offnominal.alarms import Alarm as Alarm
from offnominal.alarms import Monitor as Monitor
from offnominal.alarms import audit_alarm as audit_alarm
from offnominal.anomalies import Anomaly as Anomaly
from offnominal.anomalies import Fault as Fault
from offnominal.anomalies import Schedule as Schedule
from offnominal.anomalies import inject as inject
from offnominal.anomalies.factory import make as make
from offnominal.anomalies.factory import make_vec as make_vec
from offnominal.calibration import calibrate as calibrate
from offnominal.core import Episode as Episode
from offnominal.core import OffnominalError as OffnominalError
from offnominal.datasets import Dataset as Dataset
from offnominal.datasets import Recipe as Recipe
from offnominal.datasets import episodes_from as episodes_from
from offnominal.datasets import generate as generate
from offnominal.datasets import inject_log as inject_log
from offnominal.datasets import load_dataset as load_dataset
from offnominal.detectors import Detector as Detector
from offnominal.evaluation import evaluate as evaluate
from offnominal.kinds import Study as Study
from offnominal.laws import check_alarm as check_alarm
from offnominal.laws import check_anomaly as check_anomaly
from offnominal.laws import check_detector as check_detector
from offnominal.laws import check_environment as check_environment
from offnominal.laws import check_world as check_world
from offnominal.reports import compare as compare
from offnominal.reports import write_report as write_report
from offnominal.rollouts import Twin as Twin
from offnominal.rollouts import collect as collect
from offnominal.rollouts import effective_onset as effective_onset
from offnominal.rollouts import evaluate_policy as evaluate_policy
from offnominal.rollouts import twins as twins
from offnominal.studies import load_study as load_study
from offnominal.worlds import World as World

__all__ = [
    "Alarm",
    "Anomaly",
    "Dataset",
    "Detector",
    "Episode",
    "Fault",
    "Monitor",
    "OffnominalError",
    "Policy",
    "Recipe",
    "Schedule",
    "Study",
    "Twin",
    "World",
    "__version__",
    "audit_alarm",
    "calibrate",
    "check_alarm",
    "check_anomaly",
    "check_detector",
    "check_environment",
    "check_world",
    "collect",
    "compare",
    "effective_onset",
    "episodes_from",
    "evaluate",
    "evaluate_policy",
    "expert",
    "generate",
    "inject",
    "inject_log",
    "load_dataset",
    "load_study",
    "make",
    "make_vec",
    "twins",
    "write_report",
]
