"""Reports: tables, figures, pages and clips."""

from offnominal.reports.clip import write_clip
from offnominal.reports.comparison import Comparison, compare
from offnominal.reports.page import write_page
from offnominal.reports.report import write_report

__all__ = ["Comparison", "compare", "write_clip", "write_page", "write_report"]
