# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.images import features as features
from offnominal.detectors.images import prediction as prediction
from offnominal.detectors.images.features.clip_sim import CLIPSim as CLIPSim
from offnominal.detectors.images.features.dino_patch import DINOPatch as DINOPatch
from offnominal.detectors.images.features.feature_detector import FeatureDetector as FeatureDetector
from offnominal.detectors.images.features.feature_mahalanobis import FeatureMahalanobis as FeatureMahalanobis
from offnominal.detectors.images.features.knn_resnet import KNNResNet as KNNResNet
from offnominal.detectors.images.prediction.ldm import LDM as LDM
from offnominal.detectors.images.prediction.lrdm import LRDM as LRDM
from offnominal.detectors.images.prediction.pred_ae import PredAE as PredAE
from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector as PredictionDetector
from offnominal.detectors.images.prediction.prednet import PredNet as PredNet
from offnominal.detectors.images.prediction.rssm_ppm import RSSMPPM as RSSMPPM

__all__ = [
    "CLIPSim",
    "DINOPatch",
    "FeatureDetector",
    "FeatureMahalanobis",
    "KNNResNet",
    "LDM",
    "LRDM",
    "PredAE",
    "PredNet",
    "PredictionDetector",
    "RSSMPPM",
]
