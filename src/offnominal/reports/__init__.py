"""Reports: tables, figures, pages and clips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.reports.clip import clip_bytes, write_clip, write_gallery
    from offnominal.reports.comparison import Comparison, compare
    from offnominal.reports.page import PageContent, write_page
    from offnominal.reports.report import write_report

_NAMES = {
    "clip": ("clip_bytes", "write_clip", "write_gallery"),
    "comparison": ("Comparison", "compare"),
    "page": ("PageContent", "write_page"),
    "report": ("write_report",),
}

__all__ = [
    "Comparison",
    "PageContent",
    "clip_bytes",
    "compare",
    "write_clip",
    "write_gallery",
    "write_page",
    "write_report",
]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
