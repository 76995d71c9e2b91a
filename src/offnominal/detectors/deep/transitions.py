"""Deep point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any, ClassVar

from offnominal.detectors import deep
from offnominal.detectors.on_transitions import OnTransitions
from offnominal.detectors.views import ViewName


class DeepOnTransitions(OnTransitions):
    """A deep point detector that scores every transition by a view of it.

    Args:
        view: Which numbers of a transition make a row; see :class:`View`.
        length: Of the window, if that is the view.
        settings: Those of the point detector.
    """

    POINT: ClassVar[str]
    """Name of the point detector in :mod:`offnominal.detectors.deep`."""

    def __init__(self, *, view: ViewName = "next_observation", length: int = 5, **settings: Any) -> None:
        super().__init__(getattr(deep, self.POINT)(**settings), view=view, length=length)


class AAE(DeepOnTransitions):
    """An adversarial autoencoder; see :class:`~offnominal.detectors.deep.AAE`."""

    POINT = "AAE"


class AdVAE(DeepOnTransitions):
    """A self-adversarial variational autoencoder; see :class:`~offnominal.detectors.deep.AdVAE`."""

    POINT = "AdVAE"


class DeepSVDD(DeepOnTransitions):
    """A network that gathers what is normal around a centre; see :class:`~offnominal.detectors.deep.DeepSVDD`."""

    POINT = "DeepSVDD"


class FMGAN(DeepOnTransitions):
    """An adversarial pair with feature matching; see :class:`~offnominal.detectors.deep.FMGAN`."""

    POINT = "FMGAN"


class GAN(DeepOnTransitions):
    """An adversarial pair; see :class:`~offnominal.detectors.deep.GAN`."""

    POINT = "GAN"


class GANomaly(DeepOnTransitions):
    """A code that changes when it is decoded; see :class:`~offnominal.detectors.deep.GANomaly`."""

    POINT = "GANomaly"


class MAF(DeepOnTransitions):
    """A masked autoregressive flow; see :class:`~offnominal.detectors.deep.MAF`."""

    POINT = "MAF"


class MOGAAL(DeepOnTransitions):
    """Many generators around what is normal; see :class:`~offnominal.detectors.deep.MOGAAL`."""

    POINT = "MOGAAL"


class RealNVP(DeepOnTransitions):
    """A flow of coupled columns; see :class:`~offnominal.detectors.deep.RealNVP`."""

    POINT = "RealNVP"


class SPTN(DeepOnTransitions):
    """A tree of mixtures; see :class:`~offnominal.detectors.deep.SPTN`."""

    POINT = "SPTN"


class VAE(DeepOnTransitions):
    """A variational autoencoder; see :class:`~offnominal.detectors.deep.VAE`.

    Example:
        >>> detector = VAE(view="transition", hidden=16, iterations=100)
        >>> detector.view.name, detector.parameters()["hidden"]
        ('transition', 16)
    """

    POINT = "VAE"


class VAEKNN(DeepOnTransitions):
    """The nearest codes of a variational autoencoder; see :class:`~offnominal.detectors.deep.VAEKNN`."""

    POINT = "VAEKNN"


class VAEOneClassSVM(DeepOnTransitions):
    """A border around its codes; see :class:`~offnominal.detectors.deep.VAEOneClassSVM`."""

    POINT = "VAEOneClassSVM"


class WAE(DeepOnTransitions):
    """A Wasserstein autoencoder; see :class:`~offnominal.detectors.deep.WAE`."""

    POINT = "WAE"
