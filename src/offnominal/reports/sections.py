"""Sections of pages: those of a study kind, and those that other packages add, such as the comparison with papers."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from offnominal.core.registry import Registry
from offnominal.reports.study_tables import StudyTable
from offnominal.studies.results import RunResults


@dataclass(frozen=True, slots=True)
class PageSection:
    """A section of a page.

    Args:
        id: Anchor of the section.
        title: Heading.
        content: HTML below the heading; see :func:`~offnominal.reports.templates.render`.
        label: Name in the navigation; the title if empty.
        table: The table of the section, which the page offers as CSV; None if there is none.
    """

    id: str
    title: str
    content: Markup
    label: str = ""
    table: StudyTable | None = None


page_sections: Registry[PageSection | None] = Registry(
    "page_section", catalogue="offnominal.papers.catalogue:register_page_sections"
)
"""Functions that take `results` and return a section, or None if they have nothing to show for that run.

Other packages add theirs by an entry point in the group ``offnominal.page_sections``.
"""


def sections_of(results: RunResults) -> list[PageSection]:
    """Return the added sections of the page of a run."""
    found = [page_sections.make(id, results=results) for id in page_sections.ids()]
    return [section for section in found if section is not None]
