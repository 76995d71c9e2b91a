# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.watch.channel_checks import ChannelCheck as ChannelCheck
from offnominal.watch.channel_checks import Checks as Checks
from offnominal.watch.channel_checks import TimingCheck as TimingCheck
from offnominal.watch.channel_checks import learn_checks as learn_checks
from offnominal.watch.deployment import Deployment as Deployment
from offnominal.watch.deployment import Manifest as Manifest
from offnominal.watch.deployment_check import verify_deployment as verify_deployment
from offnominal.watch.deployment_writer import write_deployment as write_deployment

__all__ = [
    "ChannelCheck",
    "Checks",
    "Deployment",
    "Manifest",
    "TimingCheck",
    "learn_checks",
    "verify_deployment",
    "write_deployment",
]
