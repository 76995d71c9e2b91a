"""Deep point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any

from offnominal.detectors import deep
from offnominal.detectors.on_transitions import FromSettings
from offnominal.detectors.points.point import PointDetector


class AAE(FromSettings):
    """An adversarial autoencoder; see :class:`~offnominal.detectors.deep.AAE`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.AAE(**settings)


class AdVAE(FromSettings):
    """A self-adversarial variational autoencoder; see :class:`~offnominal.detectors.deep.AdVAE`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.AdVAE(**settings)


class DeepSVDD(FromSettings):
    """A network that gathers what is normal around a centre; see :class:`~offnominal.detectors.deep.DeepSVDD`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.DeepSVDD(**settings)


class FMGAN(FromSettings):
    """An adversarial pair with feature matching; see :class:`~offnominal.detectors.deep.FMGAN`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.FMGAN(**settings)


class GAN(FromSettings):
    """An adversarial pair; see :class:`~offnominal.detectors.deep.GAN`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.GAN(**settings)


class GANomaly(FromSettings):
    """A code that changes when it is decoded; see :class:`~offnominal.detectors.deep.GANomaly`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.GANomaly(**settings)


class MAF(FromSettings):
    """A masked autoregressive flow; see :class:`~offnominal.detectors.deep.MAF`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.MAF(**settings)


class MOGAAL(FromSettings):
    """Many generators around what is normal; see :class:`~offnominal.detectors.deep.MOGAAL`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.MOGAAL(**settings)


class RealNVP(FromSettings):
    """A flow of coupled columns; see :class:`~offnominal.detectors.deep.RealNVP`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.RealNVP(**settings)


class SPTN(FromSettings):
    """A tree of mixtures; see :class:`~offnominal.detectors.deep.SPTN`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.SPTN(**settings)


class VAE(FromSettings):
    """A variational autoencoder; see :class:`~offnominal.detectors.deep.VAE`.

    Example:
        >>> detector = VAE(view="transition", hidden=16, iterations=100)
        >>> detector.view.name, detector.parameters()["hidden"]
        ('transition', 16)
    """

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.VAE(**settings)


class VAEKNN(FromSettings):
    """The nearest codes of a variational autoencoder; see :class:`~offnominal.detectors.deep.VAEKNN`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.VAEKNN(**settings)


class VAEOneClassSVM(FromSettings):
    """A border around its codes; see :class:`~offnominal.detectors.deep.VAEOneClassSVM`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.VAEOneClassSVM(**settings)


class WAE(FromSettings):
    """A Wasserstein autoencoder; see :class:`~offnominal.detectors.deep.WAE`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return deep.WAE(**settings)
