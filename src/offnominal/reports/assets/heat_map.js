// Parts of heat maps, coloured by how good a number is.

import { clamp, html } from "./elements.js";
import { shown } from "./rounding.js";

// The step of the AUROC scale, 0 to 40. Metrics without a neutral value have its upper half, from worst to best.
function scaleStep(value, metric, [low, high]) {
  if (metric.centre !== null) return Math.round(40 * clamp(value - metric.centre + 0.5, 0, 1));
  const share = (value - low) / (high - low || 1);
  return 20 + Math.round(20 * clamp(metric.higher ? share : 1 - share, 0, 1));
}

/** Returns the smallest and the largest of the values that a heat map shows. */
export const rangeOf = (values) => [Math.min(...values), Math.max(...values)];

/** Returns the cell of a value, with a link if there is a target. */
export function heatCell(value, metric, range, attributes = {}, target = null) {
  if (value === null || value === undefined) return html("td", attributes, "–");
  const text = shown(value, metric.unit ? 1 : 2);
  return html("td", { class: `cell auroc-${scaleStep(value, metric, range)}`, ...attributes }, target ? html("a", { class: "number", href: target }, text) : text);
}

/** Returns the columns and the head of a heat map of detectors. */
export function heatHead(first, names) {
  return [
    html("colgroup", {}, html("col", { class: "first" }), html("col", { span: names.length })),
    html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "left" }, first), names.map((name) => html("th", { scope: "col", class: "turned" }, html("span", {}, name))))),
  ];
}

/** Returns the row above a group of rows. */
export const heatGroup = (text, names) => html("tr", { class: "group" }, html("th", { colspan: names.length + 1, scope: "rowgroup" }, text));

/** Returns the legend of the colours. */
export function heatScale(metric, [low, high]) {
  const centred = metric.centre !== null;
  const ends = centred ? [metric.centre - 0.5, metric.centre + 0.5] : metric.higher ? [low, high] : [high, low];
  return html("div", { class: "scale", "aria-hidden": "true" }, html("span", {}, shown(ends[0], 1)), html("i", { class: centred ? "both" : "" }), html("span", {}, shown(ends[1], 1)), centred ? html("span", {}, `neutral at ${metric.centre}`) : null);
}
