# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.anomalies.anomaly import Anomaly as Anomaly
from offnominal.anomalies.anomaly import CameraAnomaly as CameraAnomaly
from offnominal.anomalies.anomaly import DynamicsAnomaly as DynamicsAnomaly
from offnominal.anomalies.anomaly import FaultContext as FaultContext
from offnominal.anomalies.anomaly import SignalAnomaly as SignalAnomaly
from offnominal.anomalies.camera import Blur as Blur
from offnominal.anomalies.camera import CameraDelay as CameraDelay
from offnominal.anomalies.camera import CameraNoise as CameraNoise
from offnominal.anomalies.camera import DeadPixels as DeadPixels
from offnominal.anomalies.camera import Drop as Drop
from offnominal.anomalies.camera import Exposure as Exposure
from offnominal.anomalies.camera import Frozen as Frozen
from offnominal.anomalies.camera import Occlusion as Occlusion
from offnominal.anomalies.camera_readout import Compression as Compression
from offnominal.anomalies.camera_readout import DeadRows as DeadRows
from offnominal.anomalies.catalogue import anomalies as anomalies
from offnominal.anomalies.catalogue import camera_anomalies as camera_anomalies
from offnominal.anomalies.catalogue import make_anomaly as make_anomaly
from offnominal.anomalies.corruptions import Corruption as Corruption
from offnominal.anomalies.corruptions import Gaussian as Gaussian
from offnominal.anomalies.corruptions import Impulse as Impulse
from offnominal.anomalies.corruptions import MotionBlur as MotionBlur
from offnominal.anomalies.corruptions import Pixelate as Pixelate
from offnominal.anomalies.environment_info import EnvironmentInfo as EnvironmentInfo
from offnominal.anomalies.fault import Fault as Fault
from offnominal.anomalies.fault_injection import inject as inject
from offnominal.anomalies.injected_envs import InjectedEnv as InjectedEnv
from offnominal.anomalies.injected_envs import InjectedVectorEnv as InjectedVectorEnv
from offnominal.anomalies.injection import Injection as Injection
from offnominal.anomalies.schedule import Schedule as Schedule
from offnominal.anomalies.signals import Delay as Delay
from offnominal.anomalies.signals import Drift as Drift
from offnominal.anomalies.signals import Noise as Noise
from offnominal.anomalies.signals import Offset as Offset
from offnominal.anomalies.signals import Quantisation as Quantisation
from offnominal.anomalies.signals import Scaling as Scaling
from offnominal.anomalies.signals import TemporalNoise as TemporalNoise

__all__ = [
    "Anomaly",
    "Blur",
    "CameraAnomaly",
    "CameraDelay",
    "CameraNoise",
    "Compression",
    "Corruption",
    "DeadPixels",
    "DeadRows",
    "Delay",
    "Drift",
    "Drop",
    "DynamicsAnomaly",
    "EnvironmentInfo",
    "Exposure",
    "Fault",
    "FaultContext",
    "Frozen",
    "Gaussian",
    "Impulse",
    "InjectedEnv",
    "InjectedVectorEnv",
    "Injection",
    "MotionBlur",
    "Noise",
    "Occlusion",
    "Offset",
    "Pixelate",
    "Quantisation",
    "Scaling",
    "Schedule",
    "SignalAnomaly",
    "TemporalNoise",
    "anomalies",
    "camera_anomalies",
    "inject",
    "make_anomaly",
]
