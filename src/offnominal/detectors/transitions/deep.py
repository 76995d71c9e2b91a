"""Deep point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any

from offnominal.detectors import rows as deep
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.transitions.on_transitions import FromSettings


class AAE(FromSettings):
    """An adversarial autoencoder; see :class:`~offnominal.detectors.rows.AAE`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.AAE(**settings)


class AdVAE(FromSettings):
    """A self-adversarial variational autoencoder; see :class:`~offnominal.detectors.rows.AdVAE`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.AdVAE(**settings)


class DeepSVDD(FromSettings):
    """A network that gathers what is normal around a centre; see :class:`~offnominal.detectors.rows.DeepSVDD`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.DeepSVDD(**settings)


class FMGAN(FromSettings):
    """An adversarial pair with feature matching; see :class:`~offnominal.detectors.rows.FMGAN`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.FMGAN(**settings)


class GAN(FromSettings):
    """An adversarial pair; see :class:`~offnominal.detectors.rows.GAN`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.GAN(**settings)


class GANomaly(FromSettings):
    """A code that changes when it is decoded; see :class:`~offnominal.detectors.rows.GANomaly`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.GANomaly(**settings)


class MAF(FromSettings):
    """A masked autoregressive flow; see :class:`~offnominal.detectors.rows.MAF`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.MAF(**settings)


class MOGAAL(FromSettings):
    """Many generators around what is normal; see :class:`~offnominal.detectors.rows.MOGAAL`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.MOGAAL(**settings)


class RealNVP(FromSettings):
    """A flow of coupled columns; see :class:`~offnominal.detectors.rows.RealNVP`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.RealNVP(**settings)


class SPTN(FromSettings):
    """A tree of mixtures; see :class:`~offnominal.detectors.rows.SPTN`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.SPTN(**settings)


class VAE(FromSettings):
    """A variational autoencoder; see :class:`~offnominal.detectors.rows.VAE`.

    Example:
        >>> detector = VAE(view="transition", hidden=16, max_iter=100)
        >>> detector.view.name, detector.get_params()["hidden"]
        ('transition', 16)
    """

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.VAE(**settings)


class VAEKNN(FromSettings):
    """The nearest codes of a variational autoencoder; see :class:`~offnominal.detectors.rows.VAEKNN`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.VAEKNN(**settings)


class VAEOneClassSVM(FromSettings):
    """A border around its codes; see :class:`~offnominal.detectors.rows.VAEOneClassSVM`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.VAEOneClassSVM(**settings)


class WAE(FromSettings):
    """A Wasserstein autoencoder; see :class:`~offnominal.detectors.rows.WAE`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return deep.WAE(**settings)
