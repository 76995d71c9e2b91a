"""Tables of the documents that repeat what the code says: `python docs/tables.py` writes them anew.

A table stands between ``<!-- table: name argument -->`` and ``<!-- end -->``. `tests/docs` sees that none is stale.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.agents import expert_cards
from offnominal.anomalies import anomalies, make_anomaly
from offnominal.anomalies.strengths import LEVELS, published
from offnominal.reports.tables import markdown
from offnominal.worlds import Knob, make_world, worlds

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"(<!-- table: (?P<name>\w+) ?(?P<argument>\S*) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = dict[str, Any]


def world_rows(pages: str) -> list[Row]:
    """Return the worlds; `pages` is where their pages lie, seen from the document."""
    homes = {"SAP": "sap", "MJC-Ca": "cartpole-swingup", "MJC-Re": "reacher3d", "MJC-Ha": "half-cheetah"}
    rows = []
    for spec in worlds:
        card = make_world(spec.id, 1).card
        page = next(home for start, home in homes.items() if spec.id.startswith(start))
        rows.append(
            {
                "world": f"[`{card.id}`]({pages}{page}.md)",
                "task": card.summary,
                "observation": len(card.observation),
                "action": len(card.action),
                "steps": card.max_steps,
                "dt": f"{card.dt:g} s",
            }
        )
    return rows


def signal_rows(_: str) -> list[Row]:
    """Return the anomalies of signals, both signals of a kind in one row."""
    listed = [make_anomaly(spec.id) for spec in anomalies if not spec.id.startswith("dynamics/")]
    rows: dict[str, Row] = {}
    for anomaly in sorted(listed, key=lambda each: (each.code, each.target != "observation")):
        named = rows.setdefault(anomaly.kind, {"anomaly": ""})["anomaly"]
        rows[anomaly.kind] = {
            "anomaly": f"{named}<br>`{anomaly.id}`" if named else f"`{anomaly.id}`",
            "what happens": f"`{anomaly.formula}`",
            "neutral": f"{anomaly.symbol} = {anomaly.neutral:g}",
            "allowed": _allowed(anomaly.minimum, whole=anomaly.whole),
        }
    return list(rows.values())


def _allowed(minimum: float, *, whole: bool = False) -> str:
    number = "whole number" if whole else "number"
    return f"any {number}" if np.isinf(minimum) else f"{number} ≥ {minimum:g}"


def knob_rows(world: str) -> list[Row]:
    """Return the knobs of one world; without one, of all worlds, equal knobs in one row."""
    places: dict[Knob, list[str]] = {}
    for id in [world] if world else worlds.ids():
        for knob in make_world(id, 1).card.knobs:
            places.setdefault(knob, []).append(id)
    return [
        {
            "anomaly": f"`dynamics/{knob.name}`",
            **({} if world else {"worlds": _family(places[knob])}),
            "parameter": knob.summary,
            "unit": knob.unit,
            "neutral": f"{knob.neutral:g}",
            "allowed": _allowed(knob.minimum),
            "several at once": {"add": "deviations add", "multiply": "factors multiply"}[knob.combine],
        }
        for knob in sorted(places, key=lambda knob: knob.name)
    ]


def _family(ids: list[str]) -> str:
    """Return the worlds in few words."""
    families = {id.partition("-")[0] for id in ids}
    whole = {id for id in worlds.ids() if id.partition("-")[0] in families} == set(ids)
    return f"all {', '.join(sorted(families))}" if whole else ", ".join(id.split("-")[1] for id in ids)


def observation_rows(world: str) -> list[Row]:
    """Return the channels of what is seen."""
    channels = make_world(world, 1).card.observation
    return [{"index": index, "name": each.name, "unit": each.unit} for index, each in enumerate(channels)]


def action_rows(world: str) -> list[Row]:
    """Return the channels of what is commanded, with the limits of the motors."""
    made = make_world(world, 1)
    return [
        {
            "index": index,
            "name": each.name,
            "1 stands for": each.unit if each.unit[:1].isdigit() else f"1 {each.unit}",
            "range": f"{made.action_space.low[index]:g} … {made.action_space.high[index]:g}",
        }
        for index, each in enumerate(made.card.action)
    ]


def strength_rows(world: str) -> list[Row]:
    """Return the named strengths of one world; a dash where a level was never reached."""
    table = published()
    known = sorted({anomaly for place, anomaly, _ in table if place == world})
    return [
        {"anomaly": f"`{anomaly}`", **{level: _digits(table.get((world, anomaly, level))) for level in LEVELS}}
        for anomaly in known
    ]


def expert_rows(_: str) -> list[Row]:
    """Return the trained policies and how well they do."""
    return [
        {
            "world": card.world,
            "algorithm": card.algorithm,
            "return": f"{card.mean_return:.2f} ± {card.return_interval:.2f}",
            "published": f"{make_world(card.world, 1).card.expert_return:.2f}",
            "success": f"{card.success:.1%}",
            "length": f"{card.mean_length:.1f}",
        }
        for card in expert_cards()
    ]


def _digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


TABLES: dict[str, Callable[[str], list[Row]]] = {
    "worlds": world_rows,
    "signals": signal_rows,
    "knobs": knob_rows,
    "observation": observation_rows,
    "action": action_rows,
    "strengths": strength_rows,
    "experts": expert_rows,
}


def pages() -> list[Path]:
    """Return every document."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def refreshed(text: str) -> str:
    """Return a document with its tables as the code has them now."""

    def fill(found: re.Match[str]) -> str:
        return f"{found[1]}\n{markdown(TABLES[found['name']](found['argument']))}\n\n{found[4]}"

    return TABLE.sub(fill, text)


if __name__ == "__main__":
    for page in pages():
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
