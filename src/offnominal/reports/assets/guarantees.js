// What each alarm guarantees about false alarms, and what happened.

import { placeOf } from "./choice.js";
import { detectorCell } from "./detectors.js";
import { byId, chart, draw, html, put, ticks } from "./elements.js";
import { DATA } from "./page_data.js";
import { significant } from "./rounding.js";
import { sortable } from "./table.js";

export const percent = (share) => (share === null ? "–" : `${significant(100 * share)}%`);

/** Returns one sentence: for which detectors a guarantee was kept, broken or undecided. */
function verdictSentence(entry, rows) {
  const verdicts = [...new Set(rows.map((row) => row[6]))];
  const parts = verdicts.map((verdict) => {
    const names = rows.filter((row) => row[6] === verdict).map((row) => DATA.names[row[0]]);
    const who = names.length > 4 ? `${names.length} of ${rows.length} detectors` : names.join(", ");
    const [outcome, why] = verdict.split(": ");
    return `${outcome} for ${who}${why ? ` (${why})` : ""}`;
  });
  return `${entry.alarm}: ${entry.text}: ${parts.join("; ")}.`;
}

function dotPlot(entry, rows, most) {
  const [left, right, step] = [230, 940, 26];
  const bottom = 12 + rows.length * step;
  const x = (value) => left + (Math.min(value, most) / most) * (right - left);
  const colour = (verdict) => (verdict === "broken" ? "var(--bad)" : verdict === "kept" ? "light-dark(#0b7a4b, #4cc38a)" : "var(--soft)");
  const parts = [
    draw("rect", { x: left, width: x(entry.level * 1.2) - left, y: 4, height: bottom - 4, fill: "var(--accent)", opacity: 0.07 }),
    draw("line", { class: "axis", x1: x(entry.level), x2: x(entry.level), y1: 4, y2: bottom, "stroke-dasharray": "3 3" }),
    ...ticks(0, most, 5).flatMap((tick) => [draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 4, y2: bottom }), draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, percent(tick))]),
    ...rows.flatMap(([index, , share, low, high, n, verdict], place) => {
      const y = 18 + place * step;
      const tip = `${DATA.names[index]}: ${percent(share)} [${percent(low)}, ${percent(high)}] of ${n.toLocaleString("en")} ${entry.unit}; ${verdict}`;
      return [
        draw("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, DATA.names[index]),
        low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: y, y2: y, stroke: colour(verdict), "stroke-width": 3, "data-tip": tip }),
        share === null ? null : draw("circle", { cx: x(share), cy: y, r: 5, fill: colour(verdict), "data-tip": tip }),
      ];
    }),
  ];
  return chart(`0 0 1000 ${bottom + 30}`, `${entry.alarm}: nominal ${entry.unit} with a false alarm`, parts);
}

function guaranteeRow(entry, row, several) {
  const [index, , share, low, high, n, verdict] = row;
  const name = DATA.names[index];
  const hourly = (value) => (entry.hourly === null || value === null ? "" : ` (${significant(value * entry.hourly)} per hour)`);
  const interval = low === null ? null : html("span", { class: "interval" }, ` [${percent(low)}, ${percent(high)}]`);
  const colour = ["kept", "broken"].includes(verdict) ? verdict : "";
  return {
    keys: [...(several ? [entry.alarm] : []), name, verdict, entry.level, share, n],
    node: html(
      "tr",
      { "data-name": name },
      several ? html("td", { class: "left" }, entry.alarm) : null,
      detectorCell(name),
      html("td", { class: `left verdict ${colour}` }, verdict),
      html("td", {}, `≤ ${percent(entry.level)}${hourly(entry.level)}`),
      html("td", {}, percent(share), interval, hourly(share)),
      html("td", {}, `${n.toLocaleString("en")} ${entry.unit}`),
    ),
  };
}

/** Draws the table of the chosen world. */
export function guaranteeTable() {
  const guaranteed = DATA.guarantees.filter((entry) => entry.level !== null);
  const others = DATA.guarantees.filter((entry) => entry.level === null).map((entry) => entry.alarm);
  const here = guaranteed.map((entry) => [entry, entry.rows.filter((row) => row[1] === placeOf("world"))]);
  const stated = [...here.filter(([, rows]) => rows.length).map(([entry, rows]) => verdictSentence(entry, rows)), others.length ? `${others.join(", ")}: no guarantee.` : ""];
  byId("guarantee-text").textContent = stated.join(" ").trim() || "The run has no alarm.";
  put(
    "guarantee-figure",
    ...here.filter(([, rows]) => rows.length).map(([entry, rows]) => dotPlot(entry, rows, Math.min(Math.max(2 * entry.level, ...rows.map((row) => row[4] ?? 0)), 1))),
    html("figcaption", {}, "Share of nominal units with a false alarm, with its 95 % interval. Dashed: guaranteed; shaded: up to the margin of a fifth above it, in which an interval must end to be kept."),
  );
  const several = guaranteed.length > 1;
  const rows = here.flatMap(([entry, found]) => found.map((row) => guaranteeRow(entry, row, several)));
  const columns = [
    ...(several ? [{ label: "Alarm", className: "left" }] : []),
    { label: "Detector", className: "left" },
    { label: "Verdict", className: "left" },
    { label: "Guaranteed share" },
    { label: "Measured share, 95 % interval" },
    { label: "Nominal" },
  ];
  sortable(byId("guarantee-table"), rows.length ? columns : [], rows);
}
