// Detectors and metrics: their names, colours and numbers in tables.

import { html, shown } from "./elements.js";

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} label
 * @property {string} meaning
 * @property {boolean} higher
 * @property {number | null} random_value
 * @property {string} unit
 */

/**
 * @typedef {object} Fault
 * @property {string} id address of its page
 * @property {string} world
 * @property {string} split
 * @property {string} anomaly
 * @property {string} kind
 * @property {string} level
 * @property {string} variant
 */

/** @param {Metric} metric */
export const digitsOf = (metric) => (metric.unit ? 1 : 3);

/** @param {Metric} metric */
export const withUnit = (metric) => metric.label + (metric.unit ? ` (${metric.unit})` : "");

/**
 * Returns a cell of a table with the name of a detector.
 * @param {any} data
 * @param {string} name
 * @param {string | null} [target] link
 */
export function detectorCell(data, name, target = null) {
  const baseline = data.baselines.includes(name);
  return html(
    "th",
    { scope: "row", class: baseline ? "baseline left" : "left", "--own": data.colours[name] },
    html("span", { class: "dot", "aria-hidden": "true" }),
    target ? html("a", { href: target, class: "quiet" }, name) : name,
    baseline ? html("span", { class: "tag" }, "baseline") : null,
  );
}

/**
 * Returns a number with its interval.
 * @param {number | null} value
 * @param {number | null} low
 * @param {number | null} high
 * @param {number} [digits]
 */
export function withInterval(value, low, high, digits = 3) {
  return [shown(value, digits), low === null || high === null ? null : html("span", { class: "interval" }, ` [${shown(low, digits)}, ${shown(high, digits)}]`)];
}

/** @param {(number | null)[]} values */
export function mean(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}
