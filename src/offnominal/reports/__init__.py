"""Reports: tables, figures, pages and clips."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "clip": ("clip_bytes", "write_clip", "write_gallery"),
        "comparison": ("Comparison", "compare"),
        "page": ("PageContent", "write_page"),
        "report": ("write_report",),
    },
)
