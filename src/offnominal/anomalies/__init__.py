"""Anomalies, schedules, faults and their injection."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "anomaly": ("Anomaly", "CameraAnomaly", "DynamicsAnomaly", "FaultContext", "SignalAnomaly"),
        "catalogue": ("anomalies", "camera_anomalies", "make_anomaly"),
        "corruptions": ("Corruption",),
        "environment_info": ("EnvironmentInfo",),
        "fault": ("Fault",),
        "fault_injection": ("inject",),
        "injected_envs": ("InjectedEnv", "InjectedVectorEnv"),
        "injection": ("Injection",),
        "schedule": ("Schedule",),
    },
    catalogue="offnominal.anomalies.catalogue:anomalies",
)
