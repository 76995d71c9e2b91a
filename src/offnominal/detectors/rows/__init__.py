"""Row detectors: an anomaly score for each row of a table (or image).

Those with a network need torch, which loads when the first one is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency
from offnominal.detectors.rows.abod import ABOD
from offnominal.detectors.rows.estimator_adapter import EstimatorAdapter
from offnominal.detectors.rows.hbos import HBOS
from offnominal.detectors.rows.isolation_forest import IsolationForest
from offnominal.detectors.rows.kernel_svm import KernelSVM
from offnominal.detectors.rows.loda import LODA
from offnominal.detectors.rows.lof import LOF
from offnominal.detectors.rows.mahalanobis import Mahalanobis
from offnominal.detectors.rows.nearest_neighbours import NearestNeighbours
from offnominal.detectors.rows.neighbours import Neighbours
from offnominal.detectors.rows.one_class_svm import OneClassSVM
from offnominal.detectors.rows.pidforest import PIDForest
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.rows.subspace_forest import SubspaceForest

if TYPE_CHECKING:
    from offnominal.detectors.rows.aae import AAE
    from offnominal.detectors.rows.advae import AdVAE
    from offnominal.detectors.rows.deep_detector import DeepRowDetector
    from offnominal.detectors.rows.deep_svdd import DeepSVDD
    from offnominal.detectors.rows.f_anogan import FAnoGAN
    from offnominal.detectors.rows.gan import FMGAN, GAN
    from offnominal.detectors.rows.ganomaly import GANomaly
    from offnominal.detectors.rows.maf import MAF
    from offnominal.detectors.rows.mo_gaal import MOGAAL
    from offnominal.detectors.rows.real_nvp import RealNVP
    from offnominal.detectors.rows.skip_ganomaly import SkipGANomaly
    from offnominal.detectors.rows.sptn import SPTN
    from offnominal.detectors.rows.two_stage import VAEKNN, VAEOneClassSVM
    from offnominal.detectors.rows.vae import VAE
    from offnominal.detectors.rows.wae import WAE

_HOME_OF = {
    "AAE": "aae",
    "AdVAE": "advae",
    "DeepRowDetector": "deep_detector",
    "DeepSVDD": "deep_svdd",
    "FAnoGAN": "f_anogan",
    "FMGAN": "gan",
    "GAN": "gan",
    "GANomaly": "ganomaly",
    "MAF": "maf",
    "MOGAAL": "mo_gaal",
    "RealNVP": "real_nvp",
    "SPTN": "sptn",
    "SkipGANomaly": "skip_ganomaly",
    "VAE": "vae",
    "VAEKNN": "two_stage",
    "VAEOneClassSVM": "two_stage",
    "WAE": "wae",
}

__all__ = [
    "AAE",
    "ABOD",
    "FMGAN",
    "GAN",
    "HBOS",
    "LODA",
    "LOF",
    "MAF",
    "MOGAAL",
    "SPTN",
    "VAE",
    "VAEKNN",
    "WAE",
    "AdVAE",
    "DeepRowDetector",
    "DeepSVDD",
    "EstimatorAdapter",
    "FAnoGAN",
    "GANomaly",
    "IsolationForest",
    "KernelSVM",
    "Mahalanobis",
    "NearestNeighbours",
    "Neighbours",
    "OneClassSVM",
    "PIDForest",
    "RealNVP",
    "RowDetector",
    "SkipGANomaly",
    "SubspaceForest",
    "VAEOneClassSVM",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
