// The metric and the faults that the reader has chosen, kept in the address.

import { optionsFromAddress, toAddress } from "./address.js";
import { byId } from "./elements.js";
import { DATA } from "./page_data.js";

const SIDES = { world: DATA.worlds, kind: DATA.kinds, level: DATA.levels };

/** @returns {import("./detectors.js").Metric} */
export const metricNow = () => DATA.metrics.find((metric) => metric.name === byId("metric").value);

/** Returns what the address says about the metric: nothing about the first one. */
export const metricInAddress = () => (metricNow() === DATA.metrics[0] ? null : metricNow().name);

/** Returns the place of the chosen world, kind or level; -1 stands for all. */
export const placeOf = (side) => SIDES[side].indexOf(byId(side).value);

/** Returns the key of leaderboards and differences. */
export const keyOf = (world, kind, level) => `${world},${kind},${level}`;
export const keyNow = () => keyOf(placeOf("world"), placeOf("kind"), placeOf("level"));

/** Returns the leaderboard of the choice, best first. */
export const leaderboardNow = () => DATA.leaderboards[metricNow().name]?.[keyNow()] ?? [];

/** Returns the numbers of the chosen faults. */
export function faultsNow() {
  const all = DATA.faults.map((_, number) => number);
  return all.filter((number) => Object.keys(SIDES).every((side) => !byId(side).value || DATA.faults[number][side] === byId(side).value));
}

/** Fills the choice of a metric. */
export function fillMetrics() {
  optionsFromAddress("metric", DATA.metrics.map((metric) => [metric.name, metric.label]), DATA.metrics[0]?.name);
}

/** Starts the choice of a metric, world, kind and level; calls a function at every change, and once before the reset. */
export function startChoice(changed, reset = () => {}) {
  const write = () => {
    toAddress({ metric: metricInAddress(), ...Object.fromEntries(Object.keys(SIDES).map((side) => [side, byId(side).value])) });
    changed();
  };
  fillMetrics();
  for (const [side, texts] of Object.entries(SIDES)) optionsFromAddress(side, [["", "all"], ...texts.map((text) => [text, text])], "");
  for (const side of ["metric", ...Object.keys(SIDES)]) byId(side).addEventListener("change", write);
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    for (const side of Object.keys(SIDES)) byId(side).value = "";
    byId("metric").selectedIndex = 0;
    reset();
    write();
  });
}

/** Says how many faults are chosen. */
export function showCount() {
  const count = faultsNow().length;
  byId("status").textContent = count === 1 ? "1 fault" : `${count} faults`;
}
