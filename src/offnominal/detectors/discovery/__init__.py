"""Category discovery: clusters of known and new classes, from rows of which some have a class.

Names are imported on first use; contrastive training needs torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "contrastive_encoder": ("ContrastiveEncoder",),
        "contrastive_loss": ("discovery_loss",),
        "matching": ("Matching",),
        "n_categories": ("estimate_n_clusters",),
        "partly_labelled": ("UNLABELLED",),
        "ssgmm": ("SSGMM",),
        "sskm": ("SSKM",),
    },
)
