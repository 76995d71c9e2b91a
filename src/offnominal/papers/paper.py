"""A paper: its studies, study kinds, and published tables and figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from offnominal.core.registry import Spec
from offnominal.papers.causes import Experiment, Lines
from offnominal.papers.protocol import Protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

DEFAULT_SCALE = "laptop"
IN_FIGURE = "fig"
FigureData = Mapping[str, Any]
Values = Sequence[PublishedComparison]
_APPENDIX = re.compile(r"^([A-Z])(\d+)$")


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper.

    Args:
        number: Its number, or a name if it has none in the paper.
        title: Its content, in one line.
        study: Name of the study whose run it is compared with; empty if ours need no run, or cannot be computed.
        compare: Returns the comparison for the results of that run, or for results without rows.
        images: Whether the table, or this half of it, is about image detectors.
        scale: Default scale of the study.
        worlds: Ids of its worlds; those of the study if empty.
        compare_as_published: Returns the comparison with our metrics computed as in the public code of the paper; None
            if that makes no difference.
        study_as_published: Name of the study with the errors of the public code of the paper; empty if there is none.
        not_computed: Why the numbers cannot be computed here, in one sentence; empty if they can.
        explain: Returns a value with the cause of its difference, if one is accepted; None if nothing was tried.
        unfilled: Returns why no row gets a number from a run of a study, which is given at its scale and with its
            worlds; empty if some row gets one. None if every run of the study has one.
        needs_data: Whether ours need no run, but data that this package does not have.
    """

    number: int | str
    title: str
    study: str
    compare: Callable[[RunResults], list[PublishedComparison]]
    images: bool = False
    scale: str = DEFAULT_SCALE
    worlds: tuple[str, ...] = ()
    compare_as_published: Callable[[RunResults], list[PublishedComparison]] | None = None
    study_as_published: str = ""
    not_computed: str = ""
    explain: Callable[[PublishedComparison], PublishedComparison] | None = None
    unfilled: Callable[[Any], str] | None = None
    needs_data: bool = False

    @property
    def name(self) -> str:
        """Its number in words.

        A table in a figure has a number such as ``"fig4"``; one of an appendix has a dot only here.

        Example:
            >>> PublishedTable("E1", "", "", lambda _: []).name, PublishedTable("figC3", "", "", lambda _: []).name
            ('Table E.1', 'Figure C.3')
        """
        number = _APPENDIX.sub(r"\1.\2", str(self.number).removeprefix(IN_FIGURE))
        return f"{'Figure' if str(self.number).startswith(IN_FIGURE) else 'Table'} {number}"

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{self.name}: {self.title}"

    @property
    def has_published_form(self) -> bool:
        """Whether it can also be compared as the public code of the paper computes it."""
        return self.compare_as_published is not None or bool(self.study_as_published)

    def as_published(self) -> PublishedTable:
        """Return the table with our numbers as the public code of the paper computes them; itself if there are none."""
        compare, study = self.compare_as_published or self.compare, self.study_as_published or self.study
        return replace(self, compare=compare, study=study, explain=None)

    def lines(self, results: RunResults) -> list[PublishedComparison]:
        """Return the comparison with results, and the causes of differences that are accepted."""
        found = self.compare(results)
        return found if self.explain is None else [self.explain(line) for line in found]


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A figure of a paper.

    Args:
        number: Its number.
        title: Its content, in one line.
        study: Name of the study whose run ours is drawn from; empty if ours needs no run.
        file: Name of our figure in the report of that run.
        data: Returns what it is drawn from, as plain data, such as travels with the package; None if the results of a
            run do not have it.
        draw: Draws it with pyplot from such data.
        scale: Default scale of the study.
        worlds: Ids of its worlds; those of the study if empty.
        images: Whether it is about image detectors.
        tables: Numbers of the published tables whose values of ours it shows, if it shows no other data; without a run
            it is drawn from them, whichever studies they are of.
        of_values: Returns the data from these values; None if there are too few. Needed with tables alone.
        unfilled: Returns why a run of a study does not have the data; see :class:`PublishedTable`.
    """

    number: int | str
    title: str
    study: str
    file: str
    data: Callable[[RunResults], FigureData | None]
    draw: Callable[[Any, FigureData], Any]
    scale: str = DEFAULT_SCALE
    worlds: tuple[str, ...] = ()
    images: bool = False
    tables: tuple[str, ...] = ()
    of_values: Callable[[Values], FigureData | None] | None = None
    unfilled: Callable[[Any], str] | None = None

    @property
    def name(self) -> str:
        """Its number in words.

        Example:
            >>> PublishedFigure("C1", "", "", "", lambda _: None, lambda *_: None).name
            'Figure C.1'
        """
        number = _APPENDIX.sub(r"\1.\2", str(self.number))
        return f"Figure {number}"

    @property
    def heading(self) -> str:
        """Number and title."""
        return f"{self.name}: {self.title}"


@dataclass(frozen=True, slots=True)
class Published:
    """The tables and figures of a paper.

    Args:
        tables: Tables that our results are compared with.
        figures: Figures that we draw too.
        unknown_tables: Why a table is not available, by its number.
        unknown_figures: Why a figure is not available, by its number.
        protocol: How its values are compared; None if the paper has none.
        experiments: Returns the experiments on differences.
        experiment_lines: Returns the published values that they are about, by the number of the table.
    """

    tables: tuple[PublishedTable, ...]
    figures: tuple[PublishedFigure, ...] = ()
    unknown_tables: Mapping[str, str] = field(default_factory=dict)
    unknown_figures: Mapping[str, str] = field(default_factory=dict)
    protocol: Protocol | None = None
    experiments: Callable[[], Sequence[Experiment]] = tuple
    experiment_lines: Callable[[], Lines] = dict


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper and everything in the package that belongs to it.

    Args:
        id: Short name, as in ``offnominal reproduce``.
        studies: Its studies; see :func:`~offnominal.studies.catalogue.study_file`.
        study_kinds: Its study kinds.
        recording_changes: Changes of recorded episodes, such as errors of its public code.
        published: ``"package.module:attribute"`` of its :class:`Published`, imported on first use; empty if none.
    """

    id: str
    studies: tuple[Spec, ...] = ()
    study_kinds: tuple[Spec, ...] = ()
    recording_changes: tuple[Spec, ...] = ()
    published: str = ""

    def load_published(self) -> Published:
        """Import the published tables and figures."""
        found: Published = Spec(self.id, self.published).load() if self.published else Published(())
        return found
