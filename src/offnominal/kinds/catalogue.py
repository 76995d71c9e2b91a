"""The study kinds of the package itself and their studies, one entry each; papers add theirs."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.studies.catalogue import study_file

KINDS = (
    Spec("study", "offnominal.kinds.faults.kind:FaultStudyKind", "detectors on faults of worlds", version=5),
    Spec(
        "diagnosis",
        "offnominal.kinds.diagnosis.kind:DiagnosisKind",
        "explanations of faults: channel, onset, kind",
        version=2,
    ),
    Spec(
        "transfer",
        "offnominal.kinds.transfer.kind:TransferKind",
        "detectors trained in a world, tested in another",
        version=5,
    ),
    Spec(
        "unseen-policy",
        "offnominal.kinds.unseen_policy.kind:UnseenPolicyKind",
        "detectors trained with a policy, tested with others",
        version=2,
    ),
    Spec(
        "streams",
        "offnominal.kinds.streams.kind:StreamKind",
        "alarms over long runs with drift, wear and updates",
        version=2,
    ),
)
STUDIES = (
    study_file(
        "quickstart", "offnominal.kinds.faults", "quickstart.toml", "six detectors on two worlds in a minute or two"
    ),
    study_file(
        "diagnosis", "offnominal.kinds.diagnosis", "diagnosis.toml", "channel, onset and kind of faults, as explained"
    ),
    study_file("streams", "offnominal.kinds.streams", "streams.toml", "false alarms per hour and delay over long runs"),
)


def register_study_kinds(registry: Registry[Any]) -> None:
    """Register the study kinds of the package itself."""
    for spec in KINDS:
        registry.register(spec)


def register_studies(registry: Registry[Any]) -> None:
    """Register the studies of these kinds that belong to no paper."""
    for spec in STUDIES:
        registry.register(spec)
