// Detectors and metrics: their names, colours and numbers in tables.

import { html } from "./elements.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} label
 * @property {string} meaning
 * @property {boolean} higher
 * @property {number | null} random_value
 * @property {number | null} centre
 * @property {string} unit
 */

export const digitsOf = (metric) => (metric.unit ? 1 : 3);

export const withUnit = (metric) => metric.label + (metric.unit ? ` (${metric.unit})` : "");

/** Beside numbers of which nominal alarms at the same time are a part; the same sentence as in headline.py. */
export const NOT_CONTROLLED = "Elapsed time counts in these numbers: compare detectors by net detection and net delay.";

/** Returns whether a detector, by its name, is a baseline. */
export const isBaseline = (name) => DATA.baselines.includes(name);

/** Returns a cell of a table with the name of a detector, and a link if there is a target. */
export function detectorCell(name, target = null) {
  const baseline = isBaseline(name);
  return html(
    "th",
    { scope: "row", class: baseline ? "baseline left" : "left", "data-text": name, "--own": DATA.colours[name] },
    html("span", { class: "dot", "aria-hidden": "true" }),
    target ? html("a", { href: target, class: "quiet" }, name) : name,
    baseline ? [" ", html("span", { class: "tag" }, "baseline")] : null,
  );
}

/** Returns a number with its interval. */
export function withInterval(value, low, high, digits = 3) {
  return [shown(value, digits), low === null || high === null ? null : html("span", { class: "interval" }, ` [${shown(low, digits)}, ${shown(high, digits)}]`)];
}
