"""Descriptions of registered objects: what they are, their parameters, and where to read on."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "alarm": ("describe_alarm",),
        "anomaly": ("describe_anomaly",),
        "description": ("Description",),
        "detector": ("describe_detector",),
        "policies": ("describe_policies",),
        "study": ("describe_study",),
        "world": ("describe_world",),
    },
)
