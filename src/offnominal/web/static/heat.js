// The table of all faults and detectors, coloured by how good a number is.

import { html, put, shown } from "./elements.js";
import { link } from "./page.js";

/** @param {number} value @param {number} low @param {number} high */
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/**
 * Returns how good a number is: 1 is best, 0 is random (or worst, where random depends on the data), below 0 is worse.
 * @param {number} value
 * @param {import("./detectors.js").Metric} metric
 * @param {number} low
 * @param {number} high
 */
function goodness(value, metric, low, high) {
  if (metric.random_value !== null) {
    const best = metric.random_value === 0 ? Math.max(high, 0.05) : 1;
    return (value - metric.random_value) / (best - metric.random_value);
  }
  const share = (value - low) / (high - low || 1);
  return metric.higher ? share : 1 - share;
}

/**
 * @param {any} data
 * @param {import("./choice.js").Choice} choice
 */
export function heatMap(data, choice) {
  const metric = choice.metric;
  const numbers = data.numbers[metric.name];
  const faults = choice.faults;
  const values = faults.flatMap((fault) => numbers[fault].filter(Boolean).map((cell) => cell[0]));
  const range = [Math.min(...values), Math.max(...values)];
  const worlds = new Map();
  for (const fault of faults) worlds.set(data.faults[fault].world, [...(worlds.get(data.faults[fault].world) ?? []), fault]);
  const groups = [...worlds].map(([world, found]) =>
    html(
      "tbody",
      {},
      html("tr", { class: "group" }, html("th", { scope: "colgroup", colspan: data.names.length + 1 }, world)),
      ...found.map((fault) => faultRow(data, fault, numbers[fault], metric, range)),
    ),
  );
  const heads = data.names.map((name) => html("th", { scope: "col", class: "turned" }, html("span", {}, name)));
  put(
    "heat",
    html(
      "div",
      { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Faults and detectors" },
      html("table", { class: "heat" }, html("colgroup", {}, html("col", { class: "first" }), html("col", { span: data.names.length })), html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "left" }, "Fault"), ...heads)), ...groups),
    ),
  );
}

function faultRow(data, fault, row, metric, range) {
  const { id, split, world } = data.faults[fault];
  const head = html("th", { scope: "row" }, html("a", { class: "quiet", href: link(`faults/${data.id}/${id}`) }, split));
  return html("tr", {}, head, ...row.map((cell, index) => heatCell(cell, metric, range, data.cells[world]?.[data.names[index]] ?? [])));
}

function heatCell(cell, metric, range, cells) {
  if (!cell) return html("td", {}, "–");
  const good = clamp(goodness(cell[0], metric, ...range), -1, 1);
  const title = cell[1] === null ? null : `95 % interval ${shown(cell[1])} to ${shown(cell[2])}`;
  const text = shown(cell[0], metric.unit ? 1 : 2);
  return html(
    "td",
    { class: `cell auroc-${Math.round(20 + 20 * good)}`, title },
    cells.length ? html("a", { class: "number", href: link(`cells/${cells[0][0]}`) }, text) : text,
  );
}
