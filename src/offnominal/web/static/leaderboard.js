// The leaderboard of a run.

import { faultsNow, metricNow, showCount, startChoice } from "./choice.js";
import { byId, html, put } from "./elements.js";
import { heatCell, heatGroup, heatHead, heatScale, rangeOf } from "./heat_map.js";
import { leaderboardTable } from "./leaderboard_table.js";
import { link } from "./page.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { ALARMS, startTiming, timingTable } from "./timing_table.js";

function paint() {
  showCount();
  leaderboardTable({ pair: (leader, name) => link(`compare/${DATA.id}/${pairOf(leader, name)}`), cells: "#cells" });
  heatMap();
  timingTable();
}

/** Two detectors as the address of their comparison: the one that leads the whole run first. */
function pairOf(one, other) {
  const [first, second] = [one, other].sort((a, b) => DATA.names.indexOf(a) - DATA.names.indexOf(b));
  return `${DATA.addresses[first]}/${DATA.addresses[second]}`;
}

function heatMap() {
  const metric = metricNow();
  const numbers = DATA.numbers[metric.name];
  const faults = faultsNow();
  const range = rangeOf(faults.flatMap((fault) => numbers[fault].filter(Boolean).map(([value]) => value)));
  const groups = DATA.worlds.map((world) => [world, faults.filter((fault) => DATA.faults[fault].world === world)]).filter(([, found]) => found.length);
  const bodies = groups.map(([world, found]) => html("tbody", {}, heatGroup(world, DATA.names), found.map((fault) => faultRow(DATA.faults[fault], numbers[fault], metric, range))));
  const table = html("table", { class: "heat" }, heatHead("Fault", DATA.names), bodies);
  put("heat", heatScale(metric, range), html("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Faults and detectors" }, table));
}

function faultRow({ id, split, world }, row, metric, range) {
  const head = html("th", { scope: "row" }, html("a", { class: "quiet", href: link(`faults/${DATA.id}/${id}`) }, split));
  const cells = row.map((cell, index) => {
    const [first] = DATA.cells[world]?.[DATA.names[index]] ?? [];
    const tip = cell && cell[1] !== null ? `95 % interval ${shown(cell[1])} to ${shown(cell[2])}` : null;
    return heatCell(cell?.[0], metric, range, { "data-tip": tip }, first ? link(`cells/${first[0]}`) : null);
  });
  return html("tr", {}, head, cells);
}

function openCells() {
  if (location.hash === "#cells") byId("cells").open = true;
}

startChoice(paint);
startTiming();
byId("timing").hidden = !ALARMS.length;
byId("study").addEventListener("change", () => location.assign(byId("study").value));
addEventListener("hashchange", openCells);
openCells();
paint();
