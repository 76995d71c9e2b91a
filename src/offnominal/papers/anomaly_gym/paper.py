"""The Anomaly-Gym paper: its studies and published results."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.papers.paper import Paper
from offnominal.studies.catalogue import study_file

_PACKAGE = "offnominal.papers.anomaly_gym"
_ERRORS = f"{_PACKAGE}.recording_errors"

PAPER = Paper(
    "anomaly-gym",
    studies=(
        study_file("anomaly-gym", _PACKAGE, "study.toml", "vector detectors on all faults of ten worlds"),
        study_file(
            "anomaly-gym-as-published", _PACKAGE, "as_published.toml", "vector detectors with errors of the public code"
        ),
        study_file(
            "anomaly-gym-published-strengths",
            _PACKAGE,
            "published_strengths.toml",
            "vector detectors on faults of the published strengths",
        ),
        study_file("anomaly-gym-policies", _PACKAGE, "policies.toml", "vector detectors under other policies"),
        study_file(
            "anomaly-gym-variance", _PACKAGE, "variance.toml", "vector detectors under several trained policies"
        ),
        study_file(
            "anomaly-gym-schedules", _PACKAGE, "schedules.toml", "vector detectors on faults that come, go and grow"
        ),
        study_file(
            "anomaly-gym-unseen-policy",
            _PACKAGE,
            "unseen_policy.toml",
            "vector detectors from one trained policy to others",
        ),
        study_file("anomaly-gym-images", _PACKAGE, "images.toml", "image detectors on all faults of ten worlds"),
        study_file(
            "anomaly-gym-images-sensors",
            _PACKAGE,
            "image_sensors.toml",
            "image detectors on faults of the camera itself",
        ),
        study_file(
            "anomaly-gym-images-pretrained",
            _PACKAGE,
            "image_pretrained.toml",
            "image detectors on features of ImageNet networks",
        ),
        study_file(
            "anomaly-gym-images-as-published",
            _PACKAGE,
            "images_as_published.toml",
            "image detectors with errors of the public code",
        ),
        study_file(
            "anomaly-gym-images-policies", _PACKAGE, "image_policies.toml", "image detectors under other policies"
        ),
        study_file(
            "anomaly-gym-robot-transfer",
            _PACKAGE,
            "robot_transfer.toml",
            "detectors from the simulated arm to the robot",
        ),
    ),
    recording_changes=(
        Spec("leaking", f"{_ERRORS}.leaking_faults:LeakingFaults", "faults are never undone between episodes"),
        Spec("overwriting", f"{_ERRORS}.overwritten_actions:OverwrittenActions", "faults overwrite recorded actions"),
        Spec(
            "random_observation",
            f"{_ERRORS}.random_observation:RandomObservation",
            "one nominal observation is random, as after an exception",
        ),
        Spec("step_counter", f"{_ERRORS}.published_view:StepCounter", "images show the step counter"),
        Spec("published_view", f"{_ERRORS}.published_view:PublishedView", "images have the published camera and floor"),
    ),
    published=f"{_PACKAGE}.published_tables:PUBLISHED",
)
