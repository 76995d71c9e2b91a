"""Detectors, grouped by what gets an anomaly score.

``rows`` scores rows of tables, ``transitions`` scores vector episodes, ``images`` scores episodes of frames,
``scenes`` scores pixels and points of driving scenes, and ``policies`` uses signals from inside an agent. Names are
imported on first use; detectors with a network need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.baselines import Random, Time
    from offnominal.detectors.catalogue import detectors, make_detector
    from offnominal.detectors.checked_episodes import FaultyTrainingData
    from offnominal.detectors.detector import Detector, Step, TransitionDetector
    from offnominal.detectors.files import load_detector, save_detector
    from offnominal.detectors.images import LDM, LRDM, RSSMPPM, CLIPSim, DINOPatch, KNNResNet, PredAE, PredNet
    from offnominal.detectors.normaliser import Normaliser
    from offnominal.detectors.observation_limits import MAX_READING, MAX_SCORE
    from offnominal.detectors.policies import Entropy, Fusion, PolicyUncertainty, QValue, TDResidual
    from offnominal.detectors.rows import (
        AAE,
        ABOD,
        FMGAN,
        GAN,
        HBOS,
        KNN,
        LODA,
        LOF,
        MAF,
        MOGAAL,
        SPTN,
        VAE,
        VAEKNN,
        WAE,
        AdVAE,
        DeepSVDD,
        EstimatorAdapter,
        FAnoGAN,
        GANomaly,
        IsolationForest,
        Mahalanobis,
        OneClassSVM,
        PIDForest,
        RealNVP,
        RowDetector,
        SkipGANomaly,
        VAEOneClassSVM,
    )
    from offnominal.detectors.score_fusion import ScoreFusion
    from offnominal.detectors.transitions import LSTMDM, MLPDM, PEDM, RIQN, OnTransitions, SymbolicAR
    from offnominal.detectors.transitions.on_transitions import on_transitions
    from offnominal.detectors.views import View

_NAMES = {
    "baselines": ("Random", "Time"),
    "catalogue": ("detectors", "make_detector"),
    "checked_episodes": ("FaultyTrainingData",),
    "detector": ("Detector", "Step", "TransitionDetector"),
    "files": ("load_detector", "save_detector"),
    "images": ("CLIPSim", "DINOPatch", "KNNResNet", "LDM", "LRDM", "PredAE", "PredNet", "RSSMPPM"),
    "normaliser": ("Normaliser",),
    "observation_limits": ("MAX_READING", "MAX_SCORE"),
    "policies": ("Entropy", "Fusion", "PolicyUncertainty", "QValue", "TDResidual"),
    "rows": (
        "AAE",
        "ABOD",
        "AdVAE",
        "DeepSVDD",
        "EstimatorAdapter",
        "FAnoGAN",
        "FMGAN",
        "GAN",
        "GANomaly",
        "HBOS",
        "IsolationForest",
        "KNN",
        "LODA",
        "LOF",
        "MAF",
        "MOGAAL",
        "Mahalanobis",
        "OneClassSVM",
        "PIDForest",
        "RealNVP",
        "RowDetector",
        "SPTN",
        "SkipGANomaly",
        "VAE",
        "VAEKNN",
        "VAEOneClassSVM",
        "WAE",
    ),
    "score_fusion": ("ScoreFusion",),
    "transitions": ("LSTMDM", "MLPDM", "OnTransitions", "PEDM", "RIQN", "SymbolicAR"),
    "transitions.on_transitions": ("on_transitions",),
    "views": ("View",),
}

__all__ = [
    "AAE",
    "ABOD",
    "FMGAN",
    "GAN",
    "HBOS",
    "KNN",
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
    "PEDM",
    "RIQN",
    "RSSMPPM",
    "SPTN",
    "VAE",
    "VAEKNN",
    "WAE",
    "AdVAE",
    "CLIPSim",
    "DINOPatch",
    "DeepSVDD",
    "Detector",
    "Entropy",
    "EstimatorAdapter",
    "FAnoGAN",
    "FaultyTrainingData",
    "Fusion",
    "GANomaly",
    "IsolationForest",
    "KNNResNet",
    "Mahalanobis",
    "Normaliser",
    "OnTransitions",
    "OneClassSVM",
    "PIDForest",
    "PolicyUncertainty",
    "PredAE",
    "PredNet",
    "QValue",
    "Random",
    "RealNVP",
    "RowDetector",
    "ScoreFusion",
    "SkipGANomaly",
    "Step",
    "SymbolicAR",
    "TDResidual",
    "Time",
    "TransitionDetector",
    "VAEOneClassSVM",
    "View",
    "detectors",
    "load_detector",
    "make_detector",
    "on_transitions",
    "save_detector",
]

_PACKAGES = ("rows", "transitions", "images", "policies", "scenes", "classifiers", "discovery")
__getattr__, __dir__ = lazy_attributes(__name__, _NAMES, modules=_PACKAGES)
