"""Row detectors: an anomaly score for each row of a table, or for each image of a batch.

Names are imported on first use; detectors with a network need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.rows.aae import AAE
    from offnominal.detectors.rows.abod import ABOD
    from offnominal.detectors.rows.advae import AdVAE
    from offnominal.detectors.rows.deep_detector import DeepRowDetector
    from offnominal.detectors.rows.deep_svdd import DeepSVDD
    from offnominal.detectors.rows.estimator_adapter import EstimatorAdapter
    from offnominal.detectors.rows.f_anogan import FAnoGAN
    from offnominal.detectors.rows.gan import FMGAN, GAN
    from offnominal.detectors.rows.ganomaly import GANomaly
    from offnominal.detectors.rows.hbos import HBOS
    from offnominal.detectors.rows.isolation_forest import IsolationForest
    from offnominal.detectors.rows.knn import KNN
    from offnominal.detectors.rows.loda import LODA
    from offnominal.detectors.rows.lof import LOF
    from offnominal.detectors.rows.maf import MAF
    from offnominal.detectors.rows.mahalanobis import Mahalanobis
    from offnominal.detectors.rows.mo_gaal import MOGAAL
    from offnominal.detectors.rows.one_class_svm import OneClassSVM
    from offnominal.detectors.rows.outlier_detector import OutlierDetector
    from offnominal.detectors.rows.pidforest import PIDForest
    from offnominal.detectors.rows.real_nvp import RealNVP
    from offnominal.detectors.rows.row_detector import RowDetector
    from offnominal.detectors.rows.skip_ganomaly import SkipGANomaly
    from offnominal.detectors.rows.sptn import SPTN
    from offnominal.detectors.rows.two_stage import VAEKNN, VAEOneClassSVM
    from offnominal.detectors.rows.vae import VAE
    from offnominal.detectors.rows.wae import WAE

_NAMES = {
    "aae": ("AAE",),
    "abod": ("ABOD",),
    "advae": ("AdVAE",),
    "deep_detector": ("DeepRowDetector",),
    "deep_svdd": ("DeepSVDD",),
    "estimator_adapter": ("EstimatorAdapter",),
    "f_anogan": ("FAnoGAN",),
    "gan": ("FMGAN", "GAN"),
    "ganomaly": ("GANomaly",),
    "hbos": ("HBOS",),
    "isolation_forest": ("IsolationForest",),
    "knn": ("KNN",),
    "loda": ("LODA",),
    "lof": ("LOF",),
    "maf": ("MAF",),
    "mahalanobis": ("Mahalanobis",),
    "mo_gaal": ("MOGAAL",),
    "one_class_svm": ("OneClassSVM",),
    "outlier_detector": ("OutlierDetector",),
    "pidforest": ("PIDForest",),
    "real_nvp": ("RealNVP",),
    "row_detector": ("RowDetector",),
    "skip_ganomaly": ("SkipGANomaly",),
    "sptn": ("SPTN",),
    "two_stage": ("VAEKNN", "VAEOneClassSVM"),
    "vae": ("VAE",),
    "wae": ("WAE",),
}

__all__ = [
    "AAE",
    "ABOD",
    "FMGAN",
    "GAN",
    "HBOS",
    "KNN",
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
    "Mahalanobis",
    "OneClassSVM",
    "OutlierDetector",
    "PIDForest",
    "RealNVP",
    "RowDetector",
    "SkipGANomaly",
    "VAEOneClassSVM",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
