# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.watch import log_review as log_review
from offnominal.watch import tuning as tuning
from offnominal.watch.channel_checks import ChannelCheck as ChannelCheck
from offnominal.watch.channel_checks import Checks as Checks
from offnominal.watch.channel_checks import TimingCheck as TimingCheck
from offnominal.watch.channel_checks import learn_checks as learn_checks
from offnominal.watch.deployment import Deployment as Deployment
from offnominal.watch.deployment import Manifest as Manifest
from offnominal.watch.deployment_check import verify_deployment as verify_deployment
from offnominal.watch.deployment_writer import write_deployment as write_deployment
from offnominal.watch.event import Event as Event
from offnominal.watch.fleet import Fleet as Fleet
from offnominal.watch.log_review.page import write_log_page as write_log_page
from offnominal.watch.log_review.review import LogEvent as LogEvent
from offnominal.watch.log_review.review import LogReview as LogReview
from offnominal.watch.log_review.review import review_log as review_log
from offnominal.watch.rules import AlarmRule as AlarmRule
from offnominal.watch.rules import Rules as Rules
from offnominal.watch.rules import load_rules as load_rules
from offnominal.watch.sample import InvalidSample as InvalidSample
from offnominal.watch.tuning.allowed_rate import AllowedRate as AllowedRate
from offnominal.watch.tuning.measured_rate import MeasuredRate as MeasuredRate
from offnominal.watch.tuning.result import TuningResult as TuningResult
from offnominal.watch.tuning.search import tune as tune

__all__ = [
    "AlarmRule",
    "AllowedRate",
    "ChannelCheck",
    "Checks",
    "Deployment",
    "Event",
    "Fleet",
    "InvalidSample",
    "LogEvent",
    "LogReview",
    "Manifest",
    "MeasuredRate",
    "Rules",
    "TimingCheck",
    "TuningResult",
    "learn_checks",
    "load_rules",
    "review_log",
    "tune",
    "verify_deployment",
    "write_deployment",
    "write_log_page",
]
