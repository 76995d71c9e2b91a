"""The page with all published tables: how many of their values are reproduced, and which differ."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from textwrap import indent

from offnominal.papers.catalogue import paper, papers
from offnominal.papers.controls import controls
from offnominal.papers.paper import Published
from offnominal.papers.scoreboard import OutcomeCounts
from offnominal.reports.escape import markdown_text
from offnominal.reports.tables import markdown
from offnominal.studies.published_comparison import KINDS, MEANINGS, OUTCOMES, Kind
from published_values.differences import differences, in_margins, quantiles
from published_values.figure import MODES
from published_values.measured_table import MeasuredTable, file_name, share_of, total_of
from published_values.rows import COLUMNS

LISTED = 10
"""Number of differences of a table that the page lists."""
OF_ESTIMATES = ("reproduced closely", "inconclusive", "no interval", "explained")
"""Outcomes that only measured results have: facts and counts of work are known exactly."""
RULE = (
    "A measured result is an estimate, and so is the published one: they agree if the interval of their "
    "difference is within a margin, and differ if it is wholly outside. The margins of each metric, which "
    "runs count and which causes are accepted were fixed in a protocol per paper (`protocol.toml` in the "
    "folder of the paper), which also logs every change. A single number without an interval is not "
    "judged, however near it is. Parameters, sizes and counts of work done are known exactly: they are "
    "within the margin, which is zero for most, or they differ. The three kinds are never added."
)
SHARE = (
    "*Share* is that of the reproduced values among those that can be judged (reproduced, inconclusive or "
    "different). Values of one method in one table come from one run and agree or differ together, so "
    "that its interval counts such groups as samples."
)
DIFFERENCES = (
    "All measured results with one of ours beside them, also those without an interval. The grey band is "
    "the margin. The table has the median difference, and the median and the 90 % quantile of its size, "
    "in margins."
)
WORK = """Numbers of trained models, evaluated scores and seconds say how much was computed, not what was found."""
CAUSES = (
    "A cause explains a difference only if the protocol named it before the values that it explains were "
    "computed, they were not used to find it, an experiment brings ours to *reproduced* there, and it "
    "explains more than when worlds, methods or frames exchange their published values (999 exchanges, "
    "*p* at most 0.05 over the number of causes of the paper). **No cause of any paper meets this**: all "
    "experiments were done to explain differences that had been seen, on the same values. So no "
    "difference counts as explained. What the experiments would explain by the verdict alone:"
)
WITHOUT = "No experiments were kept for {}: there is nothing to control."
RENEWED = """## Renew this page

`offnominal reproduce --all` prints the same counts, and those of your own store as soon as it has results.
`python docs/scoreboard.py --store runs/store` writes the values of all tables with results in a store to
`docs/measured/published`; from there it makes this page and the results of the package.
`python tools/permutation_control.py` prints the controls of the experiments.
"""
NUMBER = re.compile(r"–|[-−+]?[\d,.]+(e[+-]?\d+)?( ?%)?( \[.*\])?")


def page(tables: list[MeasuredTable]) -> str:
    """Return the page."""
    parts = [
        "---\nhide: [toc]\n---",
        "# Scoreboard",
        summary(tables),
        RULE,
        *_measured(tables),
        *_exact("fact", tables),
        *_exact("work", tables),
        _causes(),
        _protocols(tables),
        _differing(tables),
        RENEWED,
    ]
    return "\n\n".join(part for part in parts if part)


def summary(tables: list[MeasuredTable]) -> str:
    """Return the counts of all papers in some sentences."""
    counts = {kind: total_of(kind, tables) for kind in KINDS}
    measured, share = counts["measured"], share_of(tables)
    count = len({table.score.paper for table in tables})
    reproduced = "" if share is None else f"**{share} of the {share.judged:,} that can be judged are reproduced**. "
    facts, work = counts["fact"], counts["work"]
    return (
        f"All tables and figures with numbers of {count} papers. Of {measured.values:,} published *measured results* "
        f"{measured.compared:,} have one of ours beside them. {reproduced}{measured['no interval']:,} of ours have no "
        f"interval and no verdict. Apart from these, {facts['reproduced']:,} of {facts.compared:,} *parameters and "
        f"facts* and {work['reproduced']:,} of {work.compared:,} *counts of work done* are as published."
    )


def _measured(tables: list[MeasuredTable]) -> list[str]:
    """Return the measured results: shares by paper, outcomes, the distribution of differences, and every table."""
    found = _of("measured", tables)
    groups = _by_paper(found)
    rows = [
        {"paper": name, "share reproduced": _share(group)} | counts_of(total_of("measured", group))
        for name, group in [*groups.items(), ("**all**", found)]
    ]
    return [
        "## Measured results",
        table_of(rows),
        table_of({"outcome": name, "meaning": MEANINGS[name]} for name in OUTCOMES),
        SHARE,
        "### Differences",
        *_figure("Distribution of differences", "differences"),
        DIFFERENCES,
        _quantiles(groups, found),
        "### What was run",
        _scales(groups),
        "### Tables",
        *_figure("Outcomes by table", "outcomes"),
        *(_section("measured", name, group) for name, group in groups.items()),
    ]


def _exact(kind: Kind, tables: list[MeasuredTable]) -> list[str]:
    """Return the parameters and facts, or the counts of work."""
    groups = _by_paper(_of(kind, tables))
    if not groups:
        return []
    rows = [{"paper": name} | counts_of(total_of(kind, group)) for name, group in groups.items()]
    sections = [_section(kind, name, group) for name, group in groups.items()]
    return [f"## {KINDS[kind].capitalize()}", *([WORK] if kind == "work" else []), table_of(rows), *sections]


def _section(kind: Kind, name: str, tables: list[MeasuredTable]) -> str:
    """Return the tables of a paper; the number of each links to its file."""
    rows = (
        {"table": linked(table), "content, and source of ours": table.content} | counts_of(table.counts)
        for table in tables
    )
    link = f"[{name}]({name}.md)"
    return f'??? note "{name}: {KINDS[kind]} by table"\n\n' + indent(
        f"The page of {link} has the results in full.\n\n{table_of(rows)}", "    "
    )


def _quantiles(groups: Mapping[str, list[MeasuredTable]], tables: list[MeasuredTable]) -> str:
    rows = []
    for name, group in [*groups.items(), ("**all**", tables)]:
        if found := differences(group):
            middle, size, large = quantiles(found)
            within = sum(abs(each.margins) <= 1.0 for each in found) / len(found)
            rows.append(
                {
                    "paper": name,
                    "values": f"{len(found):,}",
                    "median": f"{middle:+.2f}",
                    "median size": f"{size:.2f}",
                    "90 % below": f"{large:.2f}",
                    "within the margin (no verdict)": f"{within:.0%}",
                }
            )
    return table_of(rows)


def _scales(groups: Mapping[str, list[MeasuredTable]]) -> str:
    """Return how many of our values are of which study and scale."""
    rows = []
    for name, group in groups.items():
        found = Counter(
            (row["study"], row["scale"]) for table in group for row in table.rows if row["ours"] and row["published"]
        )
        intervals = Counter(
            (row["study"], row["scale"]) for table in group for row in table.rows if row["published"] and row["low"]
        )
        rows += [
            {
                "paper": name,
                "study": study,
                "scale": scale,
                "values": f"{count:,}",
                "with an interval": f"{intervals[study, scale]:,}",
            }
            for (study, scale), count in sorted(found.items())
        ]
    return table_of(rows)


def _causes() -> str:
    """Return what the experiments of each paper would explain, and what they explain of exchanged values."""
    found = {id: controls(id) for id in papers.ids()}
    rows = [
        {
            "paper": id,
            "experiment": f"`{each.cause}`",
            "differences": f"{each.differing}",
            "would explain": f"{each.explained}",
            "share": f"{each.share:.0%}",
            "exchanged values": f"{sum(each.by_chance) / len(each.by_chance):.0%}" if each.by_chance else "–",
            "p": f"{each.p_value:.3f}",
        }
        for id, experiments in found.items()
        for each in experiments
    ]
    without = WITHOUT.format(_words([id for id, experiments in found.items() if not experiments]))
    return "\n\n".join(["## Causes of differences", CAUSES, table_of(rows), without])


def _protocols(tables: list[MeasuredTable]) -> str:
    """Return the margins of every metric, and the log of changes."""
    rows, log = [], []
    for id, published in _published().items():
        known = published.protocol
        if known is not None and any(table.score.paper == id for table in tables):
            rows += [
                {
                    "paper": id,
                    "metric": known.about[name],
                    "kind": KINDS[rule.kind],
                    "margin": f"{rule.margin:g}",
                    "closer": f"{rule.close:g}" if rule.kind == "measured" else "–",
                }
                for name, rule in known.metrics.items()
            ]
            log += [f"- **{id}**, {each.day}: {each.change} *{each.reason}*" for each in known.log]
            log.append(f"    - Intervals: {known.intervals} Scales, the most powerful last: {', '.join(known.scales)}.")
    return "\n\n".join(["## Protocols", table_of(rows), "\n".join(log)]) if rows else ""


def _differing(tables: list[MeasuredTable]) -> str:
    """Return the measured results that differ, the largest differences first."""
    parts = ["## Results that differ"]
    for table in _of("measured", tables):
        found = [(row, margins) for row, margins in in_margins(table) if row["outcome"] == "differs"]
        if not found:
            continue
        found.sort(key=lambda each: -abs(each[1]))
        shown = [
            {name: markdown_text(value) for name, value in row.items() if name not in COLUMNS and name}
            | {name: _digits(row[name]) for name in ("ours", "low", "high", "published")}
            for row, _ in found[:LISTED]
        ]
        most = f", the {LISTED} largest" if len(found) > LISTED else ""
        images = ", images" * table.score.table.images
        title = f"{table.score.paper}, {table.score.table.name}{images}: {len(found)}{most}"
        body = f"{table_of(shown)}\n\nAll values: {linked(table)}."
        parts.append(f'??? note "{title}"\n\n{indent(body, "    ")}')
    return "\n\n".join(parts if len(parts) > 1 else [*parts, "There are none."])


def _published() -> dict[str, Published]:
    return {id: paper(id).load_published() for id in papers.ids()}


def _of(kind: Kind, tables: Iterable[MeasuredTable]) -> list[MeasuredTable]:
    return [table for table in tables if table.counts.values and table.kind == kind]


def _by_paper(tables: Iterable[MeasuredTable]) -> dict[str, list[MeasuredTable]]:
    return {id: list(group) for id, group in groupby(tables, lambda table: table.score.paper)}


def _figure(title: str, name: str) -> list[str]:
    return [f"![{title}](scoreboard/{name}-{mode}.svg#only-{mode})" for mode in MODES]


def linked(table: MeasuredTable) -> str:
    """Return the label of a table, as a link to its file if there is one."""
    there = f"[{table.score.label}](../measured/published/{file_name(table.score)})"
    return there if table.counts.compared else table.score.label


def table_of(rows: Iterable[Mapping[str, str]]) -> str:
    """Return a Markdown table; columns of numbers are aligned right, but not the first."""
    listed = list(rows)
    if not listed:
        return ""
    head, _, *body = markdown(listed, escape=False).splitlines()
    numeric = [all(NUMBER.fullmatch(row[name]) for row in listed) for name in list(listed[0])[1:]]
    sides = ["---", *("---:" if each else "---" for each in numeric)]
    return "\n".join([head, f"| {' | '.join(sides)} |", *body])


def counts_of(counts: OutcomeCounts) -> dict[str, str]:
    """Return the columns with the number of values and of each outcome."""
    shown = [name for name in OUTCOMES if counts.kind == "measured" or name not in OF_ESTIMATES]
    numbers = {"values": counts.values, **{str(name): counts[name] for name in shown}}
    return {name: f"{number:,}" if number else "–" for name, number in numbers.items()}


def _share(tables: list[MeasuredTable]) -> str:
    share = share_of(tables)
    return "–" if share is None else str(share)


def _words(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _digits(text: str) -> str:
    value = float(text)
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
