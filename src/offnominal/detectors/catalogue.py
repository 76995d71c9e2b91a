"""The registered detectors, by id."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.detector import Detector
from offnominal.detectors.registered_id import class_paths, registered_id

detectors: Registry[Detector] = Registry("detector", Detector)

UNTRAINED = "-untrained"
"""End of the id of every network with its random weights before training, which is a baseline of the trained one."""

_ROWS = "offnominal.detectors.rows"
_ON_TRANSITIONS = "offnominal.detectors.transitions.on_transitions:make_on_transitions"
_TRANSITIONS = "offnominal.detectors.transitions"
_IMAGES = "offnominal.detectors.images"
_POLICIES = "offnominal.detectors.policies"
_BASELINES = "offnominal.detectors.baselines"
_BRUTE = {"n_neighbors": 5, "algorithm": "brute"}
_SUBSPACES = {"max_samples": 1.0, "bootstrap": False, "backend": "numba"}
_LIMITED = {"max_iter": 100_000}


def _untrained(spec: Spec, parameter: str) -> Spec:
    """Return the baseline of a network: its random weights before training."""
    options = {**spec.options, parameter: 0}
    return Spec(f"{spec.id}{UNTRAINED}", spec.target, f"baseline: {spec.id} without training", options, spec.parts)


# Row detectors on transitions: id, class, summary, options.
for _id, _class, _summary, _options in (
    ("KNN", "KNN", "distance to the nearest nominal observation", {}),
    ("Neighbours", "KNN", "distances to the k nearest: the k-th, their mean, to their mean", _BRUTE),
    ("IsolationForest", "IsolationForest", "number of random splits that isolate an observation", {}),
    ("SubspaceForest", "IsolationForest", "isolation forest on fractions of rows and columns", _SUBSPACES),
    ("OneClassSVM", "OneClassSVM", "similarity to support vectors, radial kernel", {}),
    ("KernelSVM", "OneClassSVM", "similarity to support vectors, radial, sigmoid or polynomial kernel", _LIMITED),
    ("Mahalanobis", "Mahalanobis", "distance from the mean, by the covariance", {}),
    ("ABOD", "ABOD", "variance of the angles to neighbours", {}),
    ("HBOS", "HBOS", "histogram density of each column", {}),
    ("LODA", "LODA", "histogram density along random projections", {}),
    ("LOF", "LOF", "density relative to the density of the neighbours", {}),
    ("PIDForest", "PIDForest", "sparsity of random boxes", {}),
):
    _from_class = {"row_detector": f"{_ROWS}:{_class}", **_options}
    detectors.register(Spec(_id, _ON_TRANSITIONS, _summary, _from_class, parts="row_detector"))

# The same with a network.
for _id, _class, _summary in (
    ("VAE", "VAE", "likelihood of a variational autoencoder"),
    ("WAE", "WAE", "likelihood of a Wasserstein autoencoder"),
    ("AAE", "AAE", "likelihood of an adversarial autoencoder"),
    ("AdVAE", "AdVAE", "reconstruction error of a self-adversarial autoencoder"),
    ("GANomaly", "GANomaly", "change of the code after reconstruction"),
    ("GAN", "GAN", "discriminator of a generative adversarial network"),
    ("FMGAN", "FMGAN", "discriminator of a GAN trained by feature matching"),
    ("MO-GAAL", "MOGAAL", "discriminator trained against several generators"),
    ("DeepSVDD", "DeepSVDD", "distance from the centre of a learned hypersphere"),
    ("MAF", "MAF", "likelihood of a masked autoregressive flow"),
    ("RealNVP", "RealNVP", "likelihood of a coupling flow"),
    ("SPTN", "SPTN", "likelihood of a sum-product transform network"),
    ("VAE-KNN", "VAEKNN", "distance to the nearest nominal code of an autoencoder"),
    ("VAE-OCSVM", "VAEOneClassSVM", "one-class SVM on the codes of an autoencoder"),
):
    _spec = Spec(_id, _ON_TRANSITIONS, _summary, {"row_detector": f"{_ROWS}:{_class}"}, parts="row_detector")
    detectors.register(_spec)
    detectors.register(_untrained(_spec, "max_iter"))

# Networks on transitions and on images: id, target, summary.
for _id, _target, _summary in (
    ("MLP-DM", f"{_TRANSITIONS}:MLPDM", "error of a network that predicts the next observation"),
    ("LSTM-DM", f"{_TRANSITIONS}:LSTMDM", "error of a recurrent network that predicts the next observation"),
    ("PE-DM", f"{_TRANSITIONS}:PEDM", "likelihood of a probabilistic ensemble that predicts the next observation"),
    ("RIQN", f"{_TRANSITIONS}:RIQN", "distance from the quantiles that a recurrent network predicts"),
    ("Symbolic-AR", f"{_TRANSITIONS}:SymbolicAR", "error of a network that predicts counts and categories"),
    ("PredAE", f"{_IMAGES}:PredAE", "error of an autoencoder that predicts the change of the image"),
    ("LDM", f"{_IMAGES}:LDM", "error of a network that predicts the next frame from frame and action"),
    ("LRDM", f"{_IMAGES}:LRDM", "error of a recurrent network that predicts the next frame"),
    ("PredNet", f"{_IMAGES}:PredNet", "error of stacked convolutional LSTMs that predict the next frame"),
    ("RSSM-PPM", f"{_IMAGES}:RSSMPPM", "difference between prior and posterior of a world model"),
    ("KNN-ResNet", f"{_IMAGES}:KNNResNet", "distance to the nearest nominal image in the features of a network"),
    ("DINO-Patch", f"{_IMAGES}:DINOPatch", "largest distance of an image patch to the nearest nominal patch"),
    ("CLIP-Sim", f"{_IMAGES}:CLIPSim", "distance to the nearest nominal image in an embedding"),
):
    _spec = Spec(_id, _target, _summary)
    detectors.register(_spec)
    detectors.register(_untrained(_spec, "n_epochs"))

for _id, _target, _summary in (
    ("PolicyUncertainty", f"{_POLICIES}:PolicyUncertainty", "disagreement between members or passes of the policy"),
    ("QValue", f"{_POLICIES}:QValue", "low action value of the policy"),
    ("TDResidual", f"{_POLICIES}:TDResidual", "temporal-difference residual of the policy's values"),
    ("Entropy", f"{_POLICIES}:Entropy", "entropy of the policy's actions"),
    ("Time", f"{_BASELINES}:Time", "baseline: elapsed time"),
    ("Random", f"{_BASELINES}:Random", "baseline: random scores"),
):
    detectors.register(Spec(_id, _target, _summary))

_TOGETHER = "combination of several detectors by their ranks among nominal scores"
_PARTS = {"detectors": ("KNN", "Mahalanobis")}
detectors.register(Spec("Fusion", f"{_POLICIES}:Fusion", _TOGETHER, _PARTS, parts="detectors"))


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


def uses_gpu(name: str, parameters: Mapping[str, Any]) -> bool:
    """Return whether a detector runs on a GPU where there is one: its constructor, or that of a part, takes a device.

    Args:
        name: Registered id, or ``"package.module:Class"``.
        parameters: Parameters of the detector.

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
    parts = detectors.parts(name, parameters) if name in detectors else []
    return any("device" in signature(spec.load()).parameters for spec in (detectors.find(name), *parts))


def name_of(detector: Detector) -> str | None:
    """Return the registered id of a detector, or None.

    Several ids can share a class; the id whose options agree best with the parameters of the detector is returned.

    Example:
        >>> name_of(make_detector("Neighbours")), name_of(make_detector("KNN"))
        ('Neighbours', 'KNN')
    """
    kind: type = type(detector)
    if f"{_TRANSITIONS}.on_transitions:OnTransitions" in class_paths(kind):
        kind = type(vars(detector)["row_detector"])
    return registered_id(detectors, kind, detector.get_params, option="row_detector")
