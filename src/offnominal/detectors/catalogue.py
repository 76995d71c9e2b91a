"""The registered detectors, by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

from offnominal.core.capabilities import Need, Tag
from offnominal.core.registry import Registry, Spec
from offnominal.detectors.detector import Detector
from offnominal.detectors.registered_id import registered_id

detectors: Registry[Detector] = Registry("detector", Detector)

UNTRAINED = "-untrained"
"""End of the id of every network with its random weights before training, which is a baseline of the trained one."""

_HERE = "offnominal.detectors"
_ON_TRANSITIONS = f"{_HERE}.transitions.on_transitions:make_on_transitions"
_BRUTE = {"n_neighbors": 5, "algorithm": "brute"}
_SUBSPACES = {"max_samples": 1.0, "bootstrap": False, "backend": "numba"}
_MEAN_TAILS = {"combine": "means"}
_LIMITED = {"max_iter": 100_000}
_TOGETHER = "combination of several detectors by their ranks among nominal scores"
_PARTS = {"detectors": ("KNN", "Mahalanobis")}
_IMAGES: tuple[Need, ...] = ("images",)
_SYMBOLS: tuple[Need, ...] = ("symbols",)


def _row_detector(
    id: str, path: str, summary: str, options: Mapping[str, Any] | None = None, *, tags: tuple[Tag, ...] = ("onnx",)
) -> Spec:
    """Return the entry of a row detector on transitions; its class is in a module of `rows`."""
    built_from = {"row_detector": f"{_HERE}.rows.{path}", **(options or {})}
    return Spec(id, _ON_TRANSITIONS, summary, built_from, parts="row_detector", tags=tags)


def _row_network(id: str, path: str, summary: str, *, version: int = 1) -> tuple[Spec, Spec]:
    """Return the entries of a row detector with a network, trained in this version and untrained."""
    trained, untrained = _with_untrained(_row_detector(id, path, summary, tags=("gpu", "onnx")), "max_iter")
    return replace(trained, version=version), untrained


def _network(id: str, path: str, summary: str, needs: tuple[Need, ...] = ()) -> tuple[Spec, Spec]:
    """Return the entries of a network on episodes, trained and untrained."""
    return _with_untrained(Spec(id, f"{_HERE}.{path}", summary, tags=("gpu", "onnx"), needs=needs), "n_epochs")


def _with_untrained(spec: Spec, parameter: str) -> tuple[Spec, Spec]:
    """Return the entry of a network, and of its baseline: the same with its random weights before training."""
    options = {**spec.options, parameter: 0}
    summary = f"baseline: {spec.id} without training"
    return spec, replace(spec, id=f"{spec.id}{UNTRAINED}", summary=summary, options=options)


def _policy_signal(id: str, path: str, summary: str) -> Spec:
    """Return the entry of a detector of signals of the policy that acts."""
    return Spec(id, f"{_HERE}.policies.{path}", summary, tags=("onnx",), needs=("policy",))


for _spec in (
    _row_detector("KNN", "knn:KNN", "distance to the nearest nominal observation"),
    _row_detector("Neighbours", "knn:KNN", "distances to the k nearest: the k-th, their mean, to their mean", _BRUTE),
    _row_detector(
        "IsolationForest", "isolation_forest:IsolationForest", "number of random splits that isolate an observation"
    ),
    _row_detector(
        "SubspaceForest",
        "isolation_forest:IsolationForest",
        "isolation forest on fractions of rows and columns",
        _SUBSPACES,
    ),
    _row_detector("OneClassSVM", "one_class_svm:OneClassSVM", "similarity to support vectors, radial kernel"),
    _row_detector(
        "KernelSVM",
        "one_class_svm:OneClassSVM",
        "similarity to support vectors, radial, sigmoid or polynomial kernel",
        _LIMITED,
    ),
    _row_detector("Mahalanobis", "mahalanobis:Mahalanobis", "distance from the mean, by the covariance"),
    _row_detector("ABOD", "abod:ABOD", "variance of the angles to neighbours"),
    _row_detector("HBOS", "hbos:HBOS", "histogram density of each column"),
    _row_detector("LODA", "loda:LODA", "histogram density along random projections"),
    _row_detector("LOF", "lof:LOF", "density relative to the density of the neighbours"),
    _row_detector("ECOD", "ecod:ECOD", "tail probabilities of the columns"),
    _row_detector("COPOD", "ecod:ECOD", "tail probabilities of the columns, mean of both tails", _MEAN_TAILS),
    _row_detector("KDE", "kernel_density:KernelDensity", "density of Gaussian kernels around the nominal observations"),
    _row_detector("GMM", "gaussian_mixture:GaussianMixture", "density of a mixture of Gaussians"),
    _row_detector("DTE-NP", "dte_neighbours:DTENonParametric", "diffusion time by the nearest nominal observations"),
    _row_detector("PIDForest", "pidforest:PIDForest", "sparsity of random boxes"),
    *_row_network("VAE", "vae:VAE", "likelihood of a variational autoencoder"),
    *_row_network("WAE", "wae:WAE", "likelihood of a Wasserstein autoencoder"),
    *_row_network("AAE", "aae:AAE", "likelihood of an adversarial autoencoder"),
    *_row_network("AdVAE", "advae:AdVAE", "reconstruction error of a self-adversarial autoencoder"),
    *_row_network("GANomaly", "ganomaly:GANomaly", "change of the code after reconstruction"),
    *_row_network("GAN", "gan:GAN", "discriminator of a generative adversarial network"),
    *_row_network("FMGAN", "gan:FMGAN", "discriminator of a GAN trained by feature matching"),
    *_row_network("MO-GAAL", "mo_gaal:MOGAAL", "discriminator trained against several generators"),
    *_row_network("DeepSVDD", "deep_svdd:DeepSVDD", "distance from the centre of a learned hypersphere"),
    *_row_network("MAF", "maf:MAF", "likelihood of a masked autoregressive flow"),
    *_row_network("RealNVP", "real_nvp:RealNVP", "likelihood of a coupling flow"),
    *_row_network("SPTN", "sptn:SPTN", "likelihood of a sum-product transform network", version=2),
    *_row_network("NeuTraL", "neutral:NeuTraL", "contrastive loss of learned transformations"),
    *_row_network("ICL", "icl:ICL", "contrastive loss of parts of an observation"),
    *_row_network("DTE-C", "dte:DTECategorical", "diffusion time by a classifier"),
    *_row_network("VAE-KNN", "two_stage:VAEKNN", "distance to the nearest nominal code of an autoencoder"),
    *_row_network("VAE-OCSVM", "two_stage:VAEOneClassSVM", "one-class SVM on the codes of an autoencoder"),
    *_network("MLP-DM", "transitions.mlp_dm:MLPDM", "error of a network that predicts the next observation"),
    *_network(
        "LSTM-DM", "transitions.lstm_dm:LSTMDM", "error of a recurrent network that predicts the next observation"
    ),
    *_network(
        "PE-DM", "transitions.pe_dm:PEDM", "likelihood of a probabilistic ensemble that predicts the next observation"
    ),
    *_network("RIQN", "transitions.riqn:RIQN", "distance from the quantiles that a recurrent network predicts"),
    *_network(
        "Symbolic-AR",
        "transitions.symbolic_ar:SymbolicAR",
        "error of a network that predicts counts and categories",
        _SYMBOLS,
    ),
    *_network(
        "PredAE",
        "images.prediction.pred_ae:PredAE",
        "error of an autoencoder that predicts the change of the image",
        _IMAGES,
    ),
    *_network(
        "LDM",
        "images.prediction.ldm:LDM",
        "error of a network that predicts the next frame from frame and action",
        _IMAGES,
    ),
    *_network(
        "LRDM", "images.prediction.lrdm:LRDM", "error of a recurrent network that predicts the next frame", _IMAGES
    ),
    *_network(
        "PredNet",
        "images.prediction.prednet:PredNet",
        "error of stacked convolutional LSTMs that predict the next frame",
        _IMAGES,
    ),
    *_network(
        "RSSM-PPM",
        "images.prediction.rssm_ppm:RSSMPPM",
        "difference between prior and posterior of a world model",
        _IMAGES,
    ),
    *_network(
        "KNN-ResNet",
        "images.features.knn_resnet:KNNResNet",
        "distance to the nearest nominal image in the features of a network",
        _IMAGES,
    ),
    *_network(
        "DINO-Patch",
        "images.features.dino_patch:DINOPatch",
        "largest distance of an image patch to the nearest nominal patch",
        _IMAGES,
    ),
    *_network(
        "CLIP-Sim", "images.features.clip_sim:CLIPSim", "distance to the nearest nominal image in an embedding", _IMAGES
    ),
    *_network(
        "Feature-Mahalanobis",
        "images.features.feature_mahalanobis:FeatureMahalanobis",
        "distance from the distribution of nominal images in the features of a network",
        _IMAGES,
    ),
    _policy_signal(
        "PolicyUncertainty", "uncertainty:PolicyUncertainty", "disagreement between members or passes of the policy"
    ),
    _policy_signal("QValue", "q_value:QValue", "low action value of the policy"),
    _policy_signal("TDResidual", "td_residual:TDResidual", "temporal-difference residual of the policy's values"),
    _policy_signal("Entropy", "entropy:Entropy", "entropy of the policy's actions"),
    Spec("Fusion", f"{_HERE}.policies.fusion:Fusion", _TOGETHER, _PARTS, parts="detectors", tags=("onnx",)),
    Spec("Time", f"{_HERE}.baselines:Time", "baseline: elapsed time", tags=("onnx",)),
    Spec("Random", f"{_HERE}.baselines:Random", "baseline: random scores"),
):
    detectors.register(_spec)


def make_detector(id: str, **parameters: Any) -> Detector:
    """Return a detector by its registered id.

    Args:
        id: Registered id.
        parameters: Parameters of the detector, and `view` and `window_length` for row detectors.

    Example:
        >>> make_detector("LOF", n_neighbors=3).get_params()
        {'n_neighbors': 3, 'view': 'next_observation'}
    """
    return detectors.make(id, **parameters)


def uses_gpu(name: str, parameters: Mapping[str, Any], registry: Registry[Any] = detectors) -> bool:
    """Return whether a detector runs on a GPU where there is one: it, or one of its parts, has the tag ``gpu``.

    A class that is not registered has no tags; it does if its constructor takes a `device`.

    Args:
        name: Registered id, or ``"package.module:Class"``.
        parameters: Parameters of the detector.
        registry: Registry of detectors of its kind.

    Example:
        >>> (
        ...     uses_gpu("KNN", {}),
        ...     uses_gpu("Fusion", {"detectors": ("KNN", "MLP-DM")}),
        ...     uses_gpu("VAE", {"device": "cpu"}),
        ... )
        (False, True, False)
    """
    if parameters.get("device") == "cpu":
        return False
    known = {path: spec for spec in registry for path in (spec.id, spec.implementation)}
    return any(
        "gpu" in known[spec.id].tags if spec.id in known else "device" in signature(spec.load()).parameters
        for spec in registry.entries(name, parameters)
    )


def name_of(detector: Detector) -> str | None:
    """Return the registered id of a detector, or None.

    Several ids can share a class; the id whose options agree best with the parameters of the detector is returned.

    Example:
        >>> name_of(make_detector("Neighbours")), name_of(make_detector("KNN"))
        ('Neighbours', 'KNN')
    """
    kind: type = type(detector)
    if f"{kind.__module__}:{kind.__qualname__}" == f"{_HERE}.transitions.on_transitions:OnTransitions":
        kind = type(vars(detector)["row_detector"])
    return registered_id(detectors, detector, kind)
