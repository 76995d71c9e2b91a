"""Deep point detectors: autoencoders, flows and adversarial networks for tables and images.

They need torch, which loads when the first one is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.deep.aae import AAE
    from offnominal.detectors.deep.advae import AdVAE
    from offnominal.detectors.deep.deep_svdd import DeepSVDD
    from offnominal.detectors.deep.detector import DeepDetector
    from offnominal.detectors.deep.f_anogan import FAnoGAN
    from offnominal.detectors.deep.gan import FMGAN, GAN
    from offnominal.detectors.deep.ganomaly import GANomaly
    from offnominal.detectors.deep.maf import MAF
    from offnominal.detectors.deep.mo_gaal import MOGAAL
    from offnominal.detectors.deep.real_nvp import RealNVP
    from offnominal.detectors.deep.skip_ganomaly import SkipGANomaly
    from offnominal.detectors.deep.sptn import SPTN
    from offnominal.detectors.deep.two_stage import VAEKNN, VAEOneClassSVM
    from offnominal.detectors.deep.vae import VAE
    from offnominal.detectors.deep.wae import WAE

_HOME_OF = {
    "AAE": "aae",
    "AdVAE": "advae",
    "DeepDetector": "detector",
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
    "FMGAN",
    "GAN",
    "MAF",
    "MOGAAL",
    "SPTN",
    "VAE",
    "VAEKNN",
    "WAE",
    "AdVAE",
    "DeepDetector",
    "DeepSVDD",
    "FAnoGAN",
    "GANomaly",
    "RealNVP",
    "SkipGANomaly",
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
