"""Reports: tables, figures, pages and clips."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.reports.clip import clip_bytes, write_clip, write_gallery
from offnominal.reports.comparison import Comparison, compare
from offnominal.reports.page import PageContent, write_page
from offnominal.reports.report import write_report

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

name_wrong_arguments(__name__)
