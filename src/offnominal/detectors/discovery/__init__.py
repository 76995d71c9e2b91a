"""Category discovery: clusters of known and new classes, from rows of which some have a class.

Names are imported on first use; contrastive training needs torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.discovery.contrastive_encoder import ContrastiveEncoder
    from offnominal.detectors.discovery.contrastive_loss import discovery_loss
    from offnominal.detectors.discovery.matching import Matching
    from offnominal.detectors.discovery.n_categories import estimate_n_clusters
    from offnominal.detectors.discovery.partly_labelled import UNLABELLED
    from offnominal.detectors.discovery.ssgmm import SSGMM
    from offnominal.detectors.discovery.sskm import SSKM

_NAMES = {
    "contrastive_encoder": ("ContrastiveEncoder",),
    "contrastive_loss": ("discovery_loss",),
    "matching": ("Matching",),
    "n_categories": ("estimate_n_clusters",),
    "partly_labelled": ("UNLABELLED",),
    "ssgmm": ("SSGMM",),
    "sskm": ("SSKM",),
}

__all__ = ["SSGMM", "SSKM", "UNLABELLED", "ContrastiveEncoder", "Matching", "discovery_loss", "estimate_n_clusters"]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
