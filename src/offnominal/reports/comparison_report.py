"""What people look at after a comparison on tables: tables, figures and one page."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.reports.colours import colours
from offnominal.reports.critical_figure import critical_figure
from offnominal.reports.figures import STYLE, pyplot
from offnominal.reports.study_tables import Row, StudyTable
from offnominal.reports.tables import text
from offnominal.studies.detector_comparison.cell import ENSEMBLES
from offnominal.studies.detector_comparison.outcomes import CRITERIA, Outcomes
from offnominal.studies.detector_comparison.ranks import compare_methods, mean_ranks
from offnominal.studies.detector_comparison.space import space_of
from offnominal.studies.results import RunResults

FIGURES = {
    "critical_difference": "Mean ranks; methods under one bar cannot be told apart (Nemenyi, 10 %)",
    "knowledge": "What labels are worth: mean test AUC by what chooses the configuration",
    "pareto": "Rank against time: mean rank of the test AUC, and CPU seconds per configuration",
    "heat": "Test AUC of every method on every table",
}


def write_comparison(results: RunResults, folder: Path) -> Path:
    """Write the report of a comparison; return its page.

    Args:
        results: Of the run.
        folder: Gets ``page.html``, ``tables/*`` and ``figures/*``.
    """
    for part in ("tables", "figures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    outcomes = Outcomes.of(results.table)
    tables = comparison_tables(outcomes)
    for table in tables:
        table.write(folder / "tables")
    drawn = _draw(outcomes, folder / "figures")
    page = folder / "page.html"
    page.write_text(_page(results, outcomes, tables, drawn, folder / "figures"), encoding="utf-8")
    return page


def leading_methods(outcomes: Outcomes) -> list[Row]:
    """Return one row per method, best mean rank first."""
    values = outcomes.values("mean")
    ranks, paper = mean_ranks(values), mean_ranks(values, ties="min", decimals=2)
    highest, tpr = outcomes.values("max"), outcomes.values("mean", criterion="tpr5", metric="tpr5")
    polarity, seconds = outcomes.polarity(), outcomes.seconds()
    chosen = outcomes.chosen("mean")
    rows: list[Row] = []
    for place in np.argsort(ranks, kind="stable"):
        method = outcomes.methods[place]
        found = [chosen[table, method] for table in outcomes.tables if (table, method) in chosen]
        rows.append(
            {
                "method": method,
                "name": space_of(method).title,
                "mean rank": _round(ranks[place], 2),
                "rank as printed": _round(paper[place], 1),
                "AUC": _mean(values[:, place]),
                "AUC, best per seed": _mean(highest[:, place]),
                "TPR@5": _mean(tpr[:, place]),
                "sigma 1": _mean(np.array([each.sigma_1 for each in found])),
                "sigma 10": _mean(np.array([each.sigma_10 for each in found])),
                "inverted": int((polarity[:, place] < 0.0).sum()),
                "fit s": _mean(seconds[:, place, 0]),
                "score s": _mean(seconds[:, place, 1]),
                "failed": sum(each.failed for each in found),
            }
        )
    return rows


def comparison_tables(outcomes: Outcomes) -> list[StudyTable]:
    """Return every table of a comparison."""
    leaders = leading_methods(outcomes)
    single = outcomes.values("max")
    ensembles = [
        {
            "method": method,
            "best of each seed": _mean(single[:, place]),
            **{f"best {size} together": _mean(outcomes.ensembles(size)[:, place]) for size in ENSEMBLES},
        }
        for place, method in enumerate(outcomes.methods)
    ]
    tables = [
        ("methods", "Methods, best mean rank first", leaders),
        ("auc", "Test AUC, mean protocol", _matrix(outcomes, outcomes.values("mean"))),
        ("auc_max", "Test AUC, best configuration of each seed", _matrix(outcomes, single)),
        (
            "tpr5",
            "TPR at 5 % false alarms",
            _matrix(outcomes, outcomes.values("mean", criterion="tpr5", metric="tpr5")),
        ),
        (
            "polarity",
            "Correlation of the chosen detector's scores with distance",
            _matrix(outcomes, outcomes.polarity()),
        ),
        ("ensembles", "Ensembles of the best configurations", ensembles),
    ]
    return [StudyTable(name, title, rows, rows) for name, title, rows in tables]


def _matrix(outcomes: Outcomes, values: FloatArray) -> list[Row]:
    return [
        {"table": table, **{method: _round(values[i, j], 3) for j, method in enumerate(outcomes.methods)}}
        for i, table in enumerate(outcomes.tables)
    ]


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return _round(float(known.mean()), 4) if len(known) else None


def _round(value: float, digits: int) -> float | None:
    return None if math.isnan(value) else round(float(value), digits)


def _draw(outcomes: Outcomes, folder: Path) -> list[str]:
    plt = pyplot()
    values = outcomes.values("mean")
    compared = compare_methods(outcomes.methods, values)
    drawn: dict[str, Callable[[], Any]] = {
        "knowledge": lambda: _knowledge(plt, outcomes),
        "pareto": lambda: _pareto(plt, outcomes, values),
        "heat": lambda: _heat(plt, outcomes, values),
    }
    if compared is not None:
        drawn = {"critical_difference": lambda: critical_figure(plt, compared), **drawn}
    with plt.rc_context(STYLE | {"svg.fonttype": "none", "svg.hashsalt": "offnominal"}):
        for name, figure_of in drawn.items():
            figure = figure_of()
            figure.savefig(folder / f"{name}.png", dpi=160, bbox_inches="tight")
            figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
            plt.close(figure)
    return list(drawn)


def _knowledge(plt: Any, outcomes: Outcomes) -> Any:
    """Draw the mean test AUC by the criterion that chooses, from few labels to all."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6))
    shades = colours(outcomes.methods)
    # A mean over some tables only could not be compared with the others.
    by = {each: outcomes.values("mean", criterion=each).mean(axis=0) for each in CRITERIA}
    shown = {each: means for each, means in by.items() if not np.isnan(means).all()}
    for place, method in enumerate(outcomes.methods):
        line = [means[place] for means in shown.values()]
        axes.plot(range(len(shown)), line, "o-", ms=3.5, lw=1.4, color=shades[method], label=method)
    labels = ["all labels" if each == "auc" else each.removeprefix("pr_at_") for each in shown]
    axes.set_xticks(range(len(shown)), labels)
    axes.set_xlabel("most suspicious points that are labelled")
    axes.set_ylabel("mean test AUC")
    axes.legend(ncols=1, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _pareto(plt: Any, outcomes: Outcomes, values: FloatArray) -> Any:
    figure, axes = plt.subplots(figsize=(5.6, 3.8))
    ranks, seconds = mean_ranks(values), outcomes.seconds().sum(axis=-1).mean(axis=0)
    shades = colours(outcomes.methods)
    for place, method in enumerate(outcomes.methods):
        axes.plot(seconds[place], ranks[place], "o", ms=6, color=shades[method])
        axes.annotate(method, (seconds[place], ranks[place]), xytext=(6, 3), textcoords="offset points", fontsize=8)
    order = np.argsort(seconds, kind="stable")
    best = np.minimum.accumulate(ranks[order])
    front = [order[k] for k in range(len(order)) if k == 0 or ranks[order[k]] < best[k - 1]]
    axes.step(seconds[front], ranks[front], where="post", color="#888888", lw=1.0, ls=(0, (4, 3)), zorder=0)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("CPU seconds per configuration, fit and score")
    axes.set_ylabel("mean rank of the test AUC")
    return figure


def _heat(plt: Any, outcomes: Outcomes, values: FloatArray) -> Any:
    tables, methods = outcomes.tables, outcomes.methods
    figure, axes = plt.subplots(figsize=(0.62 * len(methods) + 2.2, 0.24 * len(tables) + 0.8))
    picture = axes.imshow(values, cmap="viridis", vmin=0.5, vmax=1.0, aspect="auto")
    axes.grid(visible=False)
    axes.set_xticks(range(len(methods)), methods)
    axes.set_yticks(range(len(tables)), tables)
    axes.tick_params(length=0, labelsize=8)
    axes.xaxis.tick_top()
    for i in range(len(tables)):
        for j in range(len(methods)):
            if not np.isnan(values[i, j]):
                shade = "white" if values[i, j] < 0.8 else "black"
                axes.text(j, i, f"{values[i, j]:.2f}", ha="center", va="center", fontsize=7, color=shade)
    figure.colorbar(picture, ax=axes, fraction=0.03, pad=0.02, label="test AUC")
    return figure


def _page(results: RunResults, outcomes: Outcomes, tables: list[StudyTable], drawn: list[str], folder: Path) -> str:
    style = files("offnominal.reports").joinpath("assets/page.css").read_text(encoding="utf-8")
    told = f"{len(outcomes.tables)} tables, {len(outcomes.methods)} methods, {results.cells} searches"
    parts = [f"<h1>{escape(results.title)}</h1>", f"<p>{escape(results.summary)}</p>", f"<p>{told}.</p>"]
    parts += [_section(tables[0])]
    for name in drawn:
        picture = base64.b64encode((folder / f"{name}.png").read_bytes()).decode()
        source = f"data:image/png;base64,{picture}"
        parts.append(
            f'<figure><img style="max-width:100%" src="{source}" alt="{escape(FIGURES[name])}">'
            f"<figcaption>{escape(FIGURES[name])}</figcaption></figure>"
        )
    parts += [_section(table) for table in tables[1:]]
    body = "\n".join(parts)
    head = [
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{escape(results.title)}</title><style>{style}</style>",
    ]
    main = f'<main class="wrap">{body}</main>'
    return f'<!doctype html>\n<html lang="en"><head>{"".join(head)}</head><body>{main}</body></html>\n'


def _section(table: StudyTable) -> str:
    if not table.rows:
        return ""
    head = _line("th", list(table.rows[0]))
    lines = "".join(_line("td", [text(value) for value in row.values()]) for row in table.rows)
    body = f"<table><thead>{head}</thead><tbody>{lines}</tbody></table>"
    return f'<section><h2>{escape(table.title)}</h2><div style="overflow-x:auto">{body}</div></section>'


def _line(kind: str, cells: list[str]) -> str:
    """Return a row of a table; its first cell is words, the others are numbers."""
    first, *others = (escape(cell) for cell in cells)
    rest = "".join(f"<{kind}>{cell}</{kind}>" for cell in others)
    return f'<tr><{kind} style="text-align:left">{first}</{kind}>{rest}</tr>'
