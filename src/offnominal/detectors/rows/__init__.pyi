# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.rows.aae import AAE as AAE
from offnominal.detectors.rows.abod import ABOD as ABOD
from offnominal.detectors.rows.advae import AdVAE as AdVAE
from offnominal.detectors.rows.deep_detector import DeepRowDetector as DeepRowDetector
from offnominal.detectors.rows.deep_svdd import DeepSVDD as DeepSVDD
from offnominal.detectors.rows.dte import DTECategorical as DTECategorical
from offnominal.detectors.rows.dte_neighbours import DTENonParametric as DTENonParametric
from offnominal.detectors.rows.ecod import ECOD as ECOD
from offnominal.detectors.rows.estimator_adapter import EstimatorAdapter as EstimatorAdapter
from offnominal.detectors.rows.f_anogan import FAnoGAN as FAnoGAN
from offnominal.detectors.rows.gan import FMGAN as FMGAN
from offnominal.detectors.rows.gan import GAN as GAN
from offnominal.detectors.rows.ganomaly import GANomaly as GANomaly
from offnominal.detectors.rows.gaussian_mixture import GaussianMixture as GaussianMixture
from offnominal.detectors.rows.hbos import HBOS as HBOS
from offnominal.detectors.rows.icl import ICL as ICL
from offnominal.detectors.rows.isolation_forest import IsolationForest as IsolationForest
from offnominal.detectors.rows.kernel_density import KernelDensity as KernelDensity
from offnominal.detectors.rows.knn import KNN as KNN
from offnominal.detectors.rows.loda import LODA as LODA
from offnominal.detectors.rows.lof import LOF as LOF
from offnominal.detectors.rows.maf import MAF as MAF
from offnominal.detectors.rows.mahalanobis import Mahalanobis as Mahalanobis
from offnominal.detectors.rows.mo_gaal import MOGAAL as MOGAAL
from offnominal.detectors.rows.neutral import NeuTraL as NeuTraL
from offnominal.detectors.rows.one_class_svm import OneClassSVM as OneClassSVM
from offnominal.detectors.rows.outlier_detector import OutlierDetector as OutlierDetector
from offnominal.detectors.rows.pidforest import PIDForest as PIDForest
from offnominal.detectors.rows.real_nvp import RealNVP as RealNVP
from offnominal.detectors.rows.row_detector import RowDetector as RowDetector
from offnominal.detectors.rows.skip_ganomaly import SkipGANomaly as SkipGANomaly
from offnominal.detectors.rows.sptn import SPTN as SPTN
from offnominal.detectors.rows.two_stage import VAEKNN as VAEKNN
from offnominal.detectors.rows.two_stage import VAEOneClassSVM as VAEOneClassSVM
from offnominal.detectors.rows.vae import VAE as VAE
from offnominal.detectors.rows.wae import WAE as WAE

__all__ = [
    "AAE",
    "ABOD",
    "AdVAE",
    "DTECategorical",
    "DTENonParametric",
    "DeepRowDetector",
    "DeepSVDD",
    "ECOD",
    "EstimatorAdapter",
    "FAnoGAN",
    "FMGAN",
    "GAN",
    "GANomaly",
    "GaussianMixture",
    "HBOS",
    "ICL",
    "IsolationForest",
    "KNN",
    "KernelDensity",
    "LODA",
    "LOF",
    "MAF",
    "MOGAAL",
    "Mahalanobis",
    "NeuTraL",
    "OneClassSVM",
    "OutlierDetector",
    "PIDForest",
    "RealNVP",
    "RowDetector",
    "SPTN",
    "SkipGANomaly",
    "VAE",
    "VAEKNN",
    "VAEOneClassSVM",
    "WAE",
]
