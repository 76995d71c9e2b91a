// What each alarm guarantees about false alarms, and what happened.

import { placeOf } from "./choice.js";
import { detectorCell } from "./detectors.js";
import { byId, draw, html } from "./elements.js";
import { DATA } from "./page_data.js";
import { significant } from "./rounding.js";
import { sortable } from "./table.js";

export const percent = (share) => (share === null ? "–" : `${significant(100 * share)}%`);

function guaranteeBar(entry, [, , share, low, high], most) {
  const x = (value) => (220 * value) / most;
  const limit = x(entry.level);
  return draw(
    "svg",
    { viewBox: "0 0 220 22", role: "img", "aria-label": `measured ${percent(share)}` },
    draw("line", { class: "grid", x1: 0, x2: 220, y1: 11, y2: 11 }),
    draw("line", { x1: limit, x2: limit, y1: 1, y2: 21, stroke: "var(--ink)", "stroke-width": 1.5, "stroke-dasharray": "3 2" }),
    low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: "var(--accent)", "stroke-width": 5, "stroke-linecap": "round", opacity: 0.4 }),
    share === null ? null : draw("circle", { cx: x(share), cy: 11, r: 5, fill: "var(--accent)" }),
  );
}

function guaranteeRow(entry, row, most, several) {
  const [index, , share, low, high, n, verdict] = row;
  const name = DATA.names[index];
  const hourly = (value) => (entry.hourly === null || value === null ? "" : ` (${significant(value * entry.hourly)} per hour)`);
  const interval = low === null ? null : html("span", { class: "interval" }, ` [${percent(low)}, ${percent(high)}]`);
  const colour = ["kept", "broken"].includes(verdict) ? verdict : "";
  return {
    keys: [...(several ? [entry.alarm] : []), name, verdict, entry.level, share, null, n],
    node: html(
      "tr",
      { "data-name": name },
      several ? html("td", { class: "left" }, entry.alarm) : null,
      detectorCell(name),
      html("td", { class: `left verdict ${colour}` }, verdict),
      html("td", {}, `≤ ${percent(entry.level)}${hourly(entry.level)}`),
      html("td", {}, percent(share), interval, hourly(share)),
      html("td", { class: "graph narrow", "data-text": "" }, guaranteeBar(entry, row, most)),
      html("td", {}, `${n.toLocaleString("en")} ${entry.unit}`),
    ),
  };
}

/** Draws the table of the chosen world. */
export function guaranteeTable() {
  const guaranteed = DATA.guarantees.filter((entry) => entry.level !== null);
  const others = DATA.guarantees.filter((entry) => entry.level === null).map((entry) => entry.alarm);
  const stated = [...guaranteed.map((entry) => `${entry.alarm}: ${entry.text}.`), others.length ? `${others.join(", ")}: no guarantee.` : ""];
  byId("guarantee-text").textContent = stated.join(" ").trim() || "The run has no alarm.";
  const here = guaranteed.map((entry) => [entry, entry.rows.filter((row) => row[1] === placeOf("world"))]);
  const ends = here.flatMap(([entry, rows]) => [2 * entry.level, ...rows.map((row) => row[4] ?? 0)]);
  const most = Math.min(Math.max(...ends), 1);
  const several = guaranteed.length > 1;
  const rows = here.flatMap(([entry, found]) => found.map((row) => guaranteeRow(entry, row, most, several)));
  const columns = [
    ...(several ? [{ label: "Alarm", className: "left" }] : []),
    { label: "Detector", className: "left" },
    { label: "Verdict", className: "left" },
    { label: "Guaranteed share" },
    { label: "Measured share, 95 % interval" },
    { label: `0% to ${percent(most)}; dashed: guaranteed`, sort: false, className: "graph" },
    { label: "Nominal" },
  ];
  sortable(byId("guarantee-table"), rows.length ? columns : [], rows);
}
