# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.reports import descriptions as descriptions
from offnominal.reports import scene_view as scene_view
from offnominal.reports.clip import clip_bytes as clip_bytes
from offnominal.reports.clip import write_clip as write_clip
from offnominal.reports.clip import write_gallery as write_gallery
from offnominal.reports.comparison import Comparison as Comparison
from offnominal.reports.comparison import compare as compare
from offnominal.reports.page import PageContent as PageContent
from offnominal.reports.page import write_page as write_page
from offnominal.reports.report import write_report as write_report

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
