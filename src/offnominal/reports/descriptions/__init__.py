"""Descriptions of registered objects: what they are, their parameters, and where to read on."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.reports.descriptions.alarm import describe_alarm
from offnominal.reports.descriptions.anomaly import describe_anomaly
from offnominal.reports.descriptions.description import Description
from offnominal.reports.descriptions.detector import describe_detector
from offnominal.reports.descriptions.policies import describe_policies
from offnominal.reports.descriptions.study import describe_study
from offnominal.reports.descriptions.world import describe_world

__all__ = [
    "Description",
    "describe_alarm",
    "describe_anomaly",
    "describe_detector",
    "describe_policies",
    "describe_study",
    "describe_world",
]

name_wrong_arguments(__name__)
