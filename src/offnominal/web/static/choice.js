// What the reader has chosen to look at, kept in the address.

import { byId, options } from "./elements.js";
import { fromAddress, toAddress } from "./page.js";

const SIDES = ["world", "kind", "level"];

/** Metric, world, kind and level of the faults that a page shows. */
export class Choice {
  /**
   * @param {any} data
   * @param {() => void} changed called when something else is chosen
   */
  constructor(data, changed) {
    this.data = data;
    this.changed = changed;
    /** @type {Record<string, string[]>} */
    this.entries = { world: data.worlds, kind: data.kinds, level: data.levels };
    this.read();
    for (const side of ["metric", ...SIDES]) byId(side).addEventListener("change", () => this.write());
    byId("filters").addEventListener("reset", (/** @type {Event} */ event) => {
      event.preventDefault();
      for (const side of SIDES) byId(side).value = "";
      byId("metric").selectedIndex = 0;
      this.write();
    });
  }

  read() {
    const metrics = this.data.metrics.map((/** @type {any} */ metric) => [metric.name, metric.label]);
    const wanted = fromAddress("metric");
    options(byId("metric"), metrics, metrics.some(([name]) => name === wanted) ? wanted : metrics[0]?.[0]);
    for (const side of SIDES) {
      const found = fromAddress(side) ?? "";
      options(byId(side), [["", "all"], ...this.entries[side].map((text) => [text, text])], this.entries[side].includes(found) ? found : "");
    }
  }

  write() {
    const first = this.data.metrics[0]?.name;
    toAddress({ metric: this.metric.name === first ? null : this.metric.name, ...Object.fromEntries(SIDES.map((side) => [side, byId(side).value])) });
    this.changed();
  }

  get metric() {
    return this.data.metrics.find((/** @type {any} */ metric) => metric.name === byId("metric").value);
  }

  /** Key of the leaderboard of the choice. */
  get key() {
    return SIDES.map((side) => this.entries[side].indexOf(byId(side).value)).join(",");
  }

  /**
   * Numbers of the chosen faults.
   * @returns {number[]}
   */
  get faults() {
    const all = this.data.faults.map((/** @type {any} */ _, /** @type {number} */ number) => number);
    return all.filter((/** @type {number} */ number) => SIDES.every((side) => !byId(side).value || this.data.faults[number][side] === byId(side).value));
  }
}
