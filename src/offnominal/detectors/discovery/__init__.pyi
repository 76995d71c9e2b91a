# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.discovery.contrastive_encoder import ContrastiveEncoder as ContrastiveEncoder
from offnominal.detectors.discovery.contrastive_loss import discovery_loss as discovery_loss
from offnominal.detectors.discovery.matching import Matching as Matching
from offnominal.detectors.discovery.n_categories import estimate_n_clusters as estimate_n_clusters
from offnominal.detectors.discovery.partly_labelled import UNLABELLED as UNLABELLED
from offnominal.detectors.discovery.ssgmm import SSGMM as SSGMM
from offnominal.detectors.discovery.sskm import SSKM as SSKM

__all__ = [
    "ContrastiveEncoder",
    "Matching",
    "SSGMM",
    "SSKM",
    "UNLABELLED",
    "discovery_loss",
    "estimate_n_clusters",
]
