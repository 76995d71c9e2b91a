# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.reports.descriptions.alarm import describe_alarm as describe_alarm
from offnominal.reports.descriptions.anomaly import describe_anomaly as describe_anomaly
from offnominal.reports.descriptions.description import Description as Description
from offnominal.reports.descriptions.detector import describe_detector as describe_detector
from offnominal.reports.descriptions.policies import describe_policies as describe_policies
from offnominal.reports.descriptions.study import describe_study as describe_study
from offnominal.reports.descriptions.world import describe_world as describe_world

__all__ = [
    "Description",
    "describe_alarm",
    "describe_anomaly",
    "describe_detector",
    "describe_policies",
    "describe_study",
    "describe_world",
]
