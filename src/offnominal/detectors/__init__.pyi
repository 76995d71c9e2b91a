# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors import classifiers as classifiers
from offnominal.detectors import diagnosis as diagnosis
from offnominal.detectors import discovery as discovery
from offnominal.detectors import export as export
from offnominal.detectors import images as images
from offnominal.detectors import policies as policies
from offnominal.detectors import rows as rows
from offnominal.detectors import scenes as scenes
from offnominal.detectors import transitions as transitions
from offnominal.detectors.baselines import Random as Random
from offnominal.detectors.baselines import Time as Time
from offnominal.detectors.catalogue import detectors as detectors
from offnominal.detectors.catalogue import make_detector as make_detector
from offnominal.detectors.checked_episodes import FaultyTrainingData as FaultyTrainingData
from offnominal.detectors.detector import Detector as Detector
from offnominal.detectors.detector import Step as Step
from offnominal.detectors.detector import TransitionDetector as TransitionDetector
from offnominal.detectors.files import load_detector as load_detector
from offnominal.detectors.files import save_detector as save_detector
from offnominal.detectors.images import LDM as LDM
from offnominal.detectors.images import LRDM as LRDM
from offnominal.detectors.images import RSSMPPM as RSSMPPM
from offnominal.detectors.images import CLIPSim as CLIPSim
from offnominal.detectors.images import DINOPatch as DINOPatch
from offnominal.detectors.images import FeatureDetector as FeatureDetector
from offnominal.detectors.images import FeatureMahalanobis as FeatureMahalanobis
from offnominal.detectors.images import KNNResNet as KNNResNet
from offnominal.detectors.images import PredAE as PredAE
from offnominal.detectors.images import PredNet as PredNet
from offnominal.detectors.images import PredictionDetector as PredictionDetector
from offnominal.detectors.normaliser import Normaliser as Normaliser
from offnominal.detectors.observation_limits import MAX_READING as MAX_READING
from offnominal.detectors.observation_limits import MAX_SCORE as MAX_SCORE
from offnominal.detectors.policies import Entropy as Entropy
from offnominal.detectors.policies import Fusion as Fusion
from offnominal.detectors.policies import ObservationDetector as ObservationDetector
from offnominal.detectors.policies import PolicyDetector as PolicyDetector
from offnominal.detectors.policies import PolicyUncertainty as PolicyUncertainty
from offnominal.detectors.policies import QValue as QValue
from offnominal.detectors.policies import TDResidual as TDResidual
from offnominal.detectors.rows import AAE as AAE
from offnominal.detectors.rows import ABOD as ABOD
from offnominal.detectors.rows import ECOD as ECOD
from offnominal.detectors.rows import FMGAN as FMGAN
from offnominal.detectors.rows import GAN as GAN
from offnominal.detectors.rows import HBOS as HBOS
from offnominal.detectors.rows import ICL as ICL
from offnominal.detectors.rows import KNN as KNN
from offnominal.detectors.rows import LODA as LODA
from offnominal.detectors.rows import LOF as LOF
from offnominal.detectors.rows import MAF as MAF
from offnominal.detectors.rows import MOGAAL as MOGAAL
from offnominal.detectors.rows import SPTN as SPTN
from offnominal.detectors.rows import VAE as VAE
from offnominal.detectors.rows import VAEKNN as VAEKNN
from offnominal.detectors.rows import WAE as WAE
from offnominal.detectors.rows import AdVAE as AdVAE
from offnominal.detectors.rows import DTECategorical as DTECategorical
from offnominal.detectors.rows import DTENonParametric as DTENonParametric
from offnominal.detectors.rows import DeepRowDetector as DeepRowDetector
from offnominal.detectors.rows import DeepSVDD as DeepSVDD
from offnominal.detectors.rows import EstimatorAdapter as EstimatorAdapter
from offnominal.detectors.rows import FAnoGAN as FAnoGAN
from offnominal.detectors.rows import GANomaly as GANomaly
from offnominal.detectors.rows import GaussianMixture as GaussianMixture
from offnominal.detectors.rows import IsolationForest as IsolationForest
from offnominal.detectors.rows import KernelDensity as KernelDensity
from offnominal.detectors.rows import Mahalanobis as Mahalanobis
from offnominal.detectors.rows import NeuTraL as NeuTraL
from offnominal.detectors.rows import OneClassSVM as OneClassSVM
from offnominal.detectors.rows import OutlierDetector as OutlierDetector
from offnominal.detectors.rows import PIDForest as PIDForest
from offnominal.detectors.rows import RealNVP as RealNVP
from offnominal.detectors.rows import RowDetector as RowDetector
from offnominal.detectors.rows import SkipGANomaly as SkipGANomaly
from offnominal.detectors.rows import VAEOneClassSVM as VAEOneClassSVM
from offnominal.detectors.score_fusion import ScoreFusion as ScoreFusion
from offnominal.detectors.transitions import LSTMDM as LSTMDM
from offnominal.detectors.transitions import MLPDM as MLPDM
from offnominal.detectors.transitions import PEDM as PEDM
from offnominal.detectors.transitions import RIQN as RIQN
from offnominal.detectors.transitions import NetworkDetector as NetworkDetector
from offnominal.detectors.transitions import OnTransitions as OnTransitions
from offnominal.detectors.transitions import SymbolicAR as SymbolicAR
from offnominal.detectors.transitions.on_transitions import on_transitions as on_transitions
from offnominal.detectors.views import View as View

__all__ = [
    "AAE",
    "ABOD",
    "AdVAE",
    "CLIPSim",
    "DINOPatch",
    "DTECategorical",
    "DTENonParametric",
    "DeepRowDetector",
    "DeepSVDD",
    "Detector",
    "ECOD",
    "Entropy",
    "EstimatorAdapter",
    "FAnoGAN",
    "FMGAN",
    "FaultyTrainingData",
    "FeatureDetector",
    "FeatureMahalanobis",
    "Fusion",
    "GAN",
    "GANomaly",
    "GaussianMixture",
    "HBOS",
    "ICL",
    "IsolationForest",
    "KNN",
    "KNNResNet",
    "KernelDensity",
    "LDM",
    "LODA",
    "LOF",
    "LRDM",
    "LSTMDM",
    "MAF",
    "MAX_READING",
    "MAX_SCORE",
    "MLPDM",
    "MOGAAL",
    "Mahalanobis",
    "NetworkDetector",
    "NeuTraL",
    "Normaliser",
    "ObservationDetector",
    "OnTransitions",
    "OneClassSVM",
    "OutlierDetector",
    "PEDM",
    "PIDForest",
    "PolicyDetector",
    "PolicyUncertainty",
    "PredAE",
    "PredNet",
    "PredictionDetector",
    "QValue",
    "RIQN",
    "RSSMPPM",
    "Random",
    "RealNVP",
    "RowDetector",
    "SPTN",
    "ScoreFusion",
    "SkipGANomaly",
    "Step",
    "SymbolicAR",
    "TDResidual",
    "Time",
    "TransitionDetector",
    "VAE",
    "VAEKNN",
    "VAEOneClassSVM",
    "View",
    "WAE",
    "detectors",
    "load_detector",
    "make_detector",
    "on_transitions",
    "save_detector",
]
