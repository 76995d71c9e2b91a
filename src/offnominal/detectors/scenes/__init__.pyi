# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.scenes.catalogue import load_scene_detector as load_scene_detector
from offnominal.detectors.scenes.catalogue import make_scene_detector as make_scene_detector
from offnominal.detectors.scenes.catalogue import save_scene_detector as save_scene_detector
from offnominal.detectors.scenes.catalogue import scene_detectors as scene_detectors
from offnominal.detectors.scenes.eam import EAM as EAM
from offnominal.detectors.scenes.frame_scores import FrameScores as FrameScores
from offnominal.detectors.scenes.fusion import SceneFusion as SceneFusion
from offnominal.detectors.scenes.height_above_road import HeightAboveRoad as HeightAboveRoad
from offnominal.detectors.scenes.lidar_knn import LidarKNN as LidarKNN
from offnominal.detectors.scenes.mahalanobis import Mahalanobis as Mahalanobis
from offnominal.detectors.scenes.motion import Motion as Motion
from offnominal.detectors.scenes.network_record import TrainingRecord as TrainingRecord
from offnominal.detectors.scenes.observation import SceneObservation as SceneObservation
from offnominal.detectors.scenes.patch_knn import PatchKNN as PatchKNN
from offnominal.detectors.scenes.random_scores import RandomScores as RandomScores
from offnominal.detectors.scenes.rba import RbA as RbA
from offnominal.detectors.scenes.real import REAL as REAL
from offnominal.detectors.scenes.scene_detector import SceneDetector as SceneDetector
from offnominal.detectors.scenes.segmenter import Segmenter as Segmenter
from offnominal.detectors.scenes.trained_networks import trained_hash as trained_hash
from offnominal.detectors.scenes.trained_networks import trained_names as trained_names
from offnominal.detectors.scenes.trained_networks import trained_scene_detector as trained_scene_detector
from offnominal.detectors.scenes.trained_networks import training_record as training_record
from offnominal.detectors.scenes.training_runs import train_scene_networks as train_scene_networks

__all__ = [
    "EAM",
    "FrameScores",
    "HeightAboveRoad",
    "LidarKNN",
    "Mahalanobis",
    "Motion",
    "PatchKNN",
    "REAL",
    "RandomScores",
    "RbA",
    "SceneDetector",
    "SceneFusion",
    "SceneObservation",
    "Segmenter",
    "TrainingRecord",
    "load_scene_detector",
    "make_scene_detector",
    "save_scene_detector",
    "scene_detectors",
    "train_scene_networks",
    "trained_hash",
    "trained_names",
    "trained_scene_detector",
    "training_record",
]
