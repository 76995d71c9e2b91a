"""Reports: tables, figures, pages and clips."""

from offnominal.reports.clip import write_clip
from offnominal.reports.page import write_page
from offnominal.reports.report import write_report

__all__ = ["write_clip", "write_page", "write_report"]
