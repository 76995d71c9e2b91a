"""The detectors we ship, by name."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.detector import Detector

detectors: Registry[Detector] = Registry("detector", Detector)

_ON_TRANSITIONS = "offnominal.detectors.transitions.on_transitions"
_TRANSITIONS = "offnominal.detectors.transitions"
_IMAGES = "offnominal.detectors.images"
_CLASSICAL = "offnominal.detectors.transitions.classical"
_DEEP = "offnominal.detectors.transitions.deep"
_POLICIES = "offnominal.detectors.policies"
_BASELINES = "offnominal.detectors.baselines"
for _id, _target, _summary in (
    ("KNN", f"{_ON_TRANSITIONS}:KNN", "distance to the nearest nominal observation"),
    ("IsolationForest", f"{_ON_TRANSITIONS}:IsolationForest", "few random cuts isolate what is strange"),
    ("OneClassSVM", f"{_ON_TRANSITIONS}:OneClassSVM", "outside a smooth border around nominal observations"),
    ("Mahalanobis", f"{_ON_TRANSITIONS}:Mahalanobis", "distance from the mean, correlations considered"),
    ("ABOD", f"{_CLASSICAL}:ABOD", "from outside, all neighbours lie in one direction"),
    ("HBOS", f"{_CLASSICAL}:HBOS", "rare values, column by column"),
    ("LODA", f"{_CLASSICAL}:LODA", "rare values along random lines"),
    ("LOF", f"{_CLASSICAL}:LOF", "thinner than its neighbours"),
    ("Neighbours", f"{_CLASSICAL}:Neighbours", "distances to the k nearest: the k-th, their mean, to their mean"),
    ("KernelSVM", f"{_CLASSICAL}:KernelSVM", "one-class machine with radial, sigmoid or polynomial kernel"),
    ("PIDForest", f"{_CLASSICAL}:PIDForest", "large boxes with few points"),
    ("SubspaceForest", f"{_CLASSICAL}:SubspaceForest", "isolation forest on shares of rows and columns"),
    ("VAE", f"{_DEEP}:VAE", "a variational autoencoder finds it unlikely"),
    ("WAE", f"{_DEEP}:WAE", "a Wasserstein autoencoder finds it unlikely"),
    ("AAE", f"{_DEEP}:AAE", "an adversarial autoencoder finds it unlikely"),
    ("AdVAE", f"{_DEEP}:AdVAE", "a self-adversarial autoencoder does not redraw it"),
    ("GANomaly", f"{_DEEP}:GANomaly", "its code is another after it was redrawn"),
    ("GAN", f"{_DEEP}:GAN", "the critic of an adversarial pair does not take it for real"),
    ("FMGAN", f"{_DEEP}:FMGAN", "the same, trained by feature matching"),
    ("MO-GAAL", f"{_DEEP}:MOGAAL", "a critic trained beside many generators does not take it for real"),
    ("DeepSVDD", f"{_DEEP}:DeepSVDD", "far from the centre that a network gathers normal rows around"),
    ("MAF", f"{_DEEP}:MAF", "an autoregressive flow finds it unlikely"),
    ("RealNVP", f"{_DEEP}:RealNVP", "a coupling flow finds it unlikely"),
    ("SPTN", f"{_DEEP}:SPTN", "a tree of mixtures finds it unlikely"),
    ("VAE-KNN", f"{_DEEP}:VAEKNN", "far from normal codes of an autoencoder"),
    ("VAE-OCSVM", f"{_DEEP}:VAEOneClassSVM", "outside a border around normal codes of an autoencoder"),
    ("MLP-DM", f"{_TRANSITIONS}:MLPDM", "error of a network that predicts the next observation"),
    ("LSTM-DM", f"{_TRANSITIONS}:LSTMDM", "error of a recurrent network that predicts the next observation"),
    ("PE-DM", f"{_TRANSITIONS}:PEDM", "an ensemble of probabilistic networks is surprised"),
    ("RIQN", f"{_TRANSITIONS}:RIQN", "far from the quantiles that a recurrent network predicts"),
    ("PredAE", f"{_IMAGES}:PredAE", "error of an autoencoder that predicts the change of the image"),
    ("LDM", f"{_IMAGES}:LDM", "error of a network that predicts the next frame from frame and action"),
    ("LRDM", f"{_IMAGES}:LRDM", "error of a recurrent network that predicts the next frame"),
    ("PredNet", f"{_IMAGES}:PredNet", "error of stacked convolutional LSTMs that predict the next frame"),
    ("RSSM-PPM", f"{_IMAGES}:RSSMPPM", "difference between prior and posterior of a world model"),
    ("KNN-ResNet", f"{_IMAGES}:KNNResNet", "distance to the nearest nominal image in the features of a network"),
    ("DINO-Patch", f"{_IMAGES}:DINOPatch", "largest distance of an image patch to the nearest nominal patch"),
    ("CLIP-Sim", f"{_IMAGES}:CLIPSim", "distance to the nearest nominal image in an embedding"),
    (
        "PolicyUncertainty",
        f"{_POLICIES}:PolicyUncertainty",
        "disagreement between members or passes of the policy",
    ),
    ("QValue", f"{_POLICIES}:QValue", "low action value of the policy"),
    ("TDResidual", f"{_POLICIES}:TDResidual", "temporal-difference residual of the policy's values"),
    ("Entropy", f"{_POLICIES}:Entropy", "entropy of the policy's actions"),
    ("Time", f"{_BASELINES}:Time", "baseline: the clock"),
    ("Random", f"{_BASELINES}:Random", "baseline: chance"),
):
    detectors.register(Spec(_id, _target, _summary))
    if _target.startswith((f"{_TRANSITIONS}:", f"{_IMAGES}:")):
        detectors.register(Spec(f"{_id}-untrained", _target, f"baseline: {_id} as it starts", {"n_epochs": 0}))
    if _target.startswith(f"{_DEEP}:"):
        detectors.register(Spec(f"{_id}-untrained", _target, f"baseline: {_id} as it starts", {"max_iter": 0}))
_TOGETHER = "combination of several detectors by their ranks among nominal scores"
_PARTS = {"detectors": ("KNN", "Mahalanobis")}
detectors.register(Spec("Fusion", f"{_POLICIES}:Fusion", _TOGETHER, _PARTS, parts="detectors"))


def make_detector(id: str, **parameters: Any) -> Detector:
    """Return a detector by name.

    Example:
        >>> make_detector("KNN", n_neighbors=3).get_params()
        {'n_neighbors': 3, 'view': 'next_observation'}
    """
    return detectors.make(id, **parameters)


def name_of(detector: Detector) -> str | None:
    """Return the name under which a detector is registered, or None."""
    parts = type(detector).__module__.split(".")
    packages = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    targets = {f"{package}:{type(detector).__qualname__}" for package in packages}
    return next((spec.id for spec in detectors if spec.target in targets), None)
