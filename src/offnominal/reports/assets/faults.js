// Heat maps, and everything about one fault.

import { faultsNow, keyOf, metricNow, placeOf } from "./choice.js";
import { detectorCell, digitsOf, withInterval, withUnit } from "./detectors.js";
import { byId, html, mean, options, put } from "./elements.js";
import { watchEpisode } from "./episodes.js";
import { heatCell, heatGroup, heatHead, heatScale, rangeOf } from "./heat_map.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { sortable } from "./table.js";
import { ALARMS, timingColumns, timingNumbers, timingRow } from "./timing_table.js";
import { visible, visibleNames } from "./visible_detectors.js";

function leaderboardRow(label, key, metric, range) {
  const entries = DATA.leaderboards[metric.name]?.[key] ?? [];
  const byName = new Map(entries.map((row) => [row[0], row]));
  const cells = visible().map((index) => {
    const row = byName.get(index);
    const tip = row && row[2] !== null ? `${DATA.names[index]}, ${label}: ${shown(row[1])} [${shown(row[2])}, ${shown(row[3])}]` : null;
    return heatCell(row?.[1], metric, range, { "data-tip": tip });
  });
  return html("tr", {}, html("th", { scope: "row" }, label), ...cells);
}

/** Draws the heat maps of worlds and levels. */
export function matrices() {
  const metric = metricNow();
  const all = Object.values(DATA.leaderboards[metric.name] ?? {}).flat().map((row) => row[1]);
  const range = rangeOf(all);
  byId("matrices-scale").replaceChildren(heatScale(metric, range));
  const worlds = DATA.worlds.map((world, number) => leaderboardRow(world, keyOf(number, placeOf("kind"), placeOf("level")), metric, range));
  put("by-world", html("table", { class: "heat", "data-name": "by-world", "data-title": `${metric.label} by world` }, heatHead("World", visibleNames()), html("tbody", {}, ...worlds)));
  const kinds = DATA.kinds.flatMap((kind, k) => [
    heatGroup(kind, visible()),
    ...DATA.levels.map((level, l) => (DATA.leaderboards[metric.name]?.[keyOf(placeOf("world"), k, l)] ? leaderboardRow(level, keyOf(placeOf("world"), k, l), metric, range) : null)),
  ]);
  put("by-kind", html("table", { class: "heat", "data-name": "by-kind", "data-title": `${metric.label} by kind and level` }, heatHead("Level", visibleNames()), html("tbody", {}, ...kinds)));
}

// The name of a fault may wrap after its kind and before its level, not within a word.
const breakable = (split) => split.split(/(?<=\/)|(?=@)/).flatMap((part, place) => (place ? [html("wbr"), part] : [part]));

function splitsNow() {
  const groups = new Map();
  for (const number of faultsNow()) {
    const split = DATA.faults[number].split;
    groups.set(split, [...(groups.get(split) ?? []), number]);
  }
  const place = (numbers) => {
    const fault = DATA.faults[numbers[0]];
    return [DATA.kinds.indexOf(fault.kind), fault.anomaly, DATA.levels.indexOf(fault.level), fault.variant];
  };
  return [...groups.values()].sort((a, b) => {
    const [one, other] = [place(a), place(b)];
    const differs = one.findIndex((value, i) => value !== other[i]);
    return differs < 0 ? 0 : one[differs] < other[differs] ? -1 : 1;
  });
}

/** Draws the heat map of the chosen faults. */
export function heatMap() {
  const metric = metricNow();
  const numbers = DATA.numbers[metric.name];
  const splits = splitsNow();
  const value = (faults, index) => mean(faults.map((fault) => numbers[fault][index]?.[0]).filter((found) => found !== undefined && found !== null));
  const all = splits.flatMap((faults) => visible().map((index) => value(faults, index))).filter((found) => found !== null);
  const range = rangeOf(all);
  let kind = null;
  const rows = splits.flatMap((faults) => {
    const fault = DATA.faults[faults[0]];
    const group = fault.kind === kind ? [] : [heatGroup(fault.kind, visible())];
    kind = fault.kind;
    const open = html("button", { class: "plain fault", type: "button", onclick: () => openFault(faults[0]) }, ...breakable(fault.split));
    return [...group, html("tr", {}, html("th", { scope: "row" }, open), ...visible().map((index) => heatCell(value(faults, index), metric, range, { "data-fault": faults[0] })))];
  });
  const table = html("table", { class: "heat", id: "heat-table" }, heatHead("Fault", visibleNames()), html("tbody", {}, ...rows));
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-fault]");
    if (cell) openFault(Number(cell.dataset.fault));
  });
  put("heat-scale", heatScale(metric, range));
  put("heat", table);
}

/** Shows all numbers of a fault. */
export function openFault(number) {
  const fault = DATA.faults[number];
  const same = DATA.faults.map((other, place) => [other, place]).filter(([other]) => other.split === fault.split);
  byId("fault-title").textContent = fault.split;
  byId("fault-note").textContent = `Kind: ${fault.kind}. Level: ${fault.level}.`;
  options(byId("fault-world"), same.map(([other, place]) => [String(place), other.world]), String(number));
  options(byId("fault-alarm"), ALARMS.map((alarm) => [alarm, alarm]), DATA.timing.default ?? "");
  paintFault();
  if (!byId("fault").open) byId("fault").showModal();
  byId("fault-close").focus();
  byId("fault").scrollTo(0, 0);
  for (const region of byId("fault").querySelectorAll(".scroll")) region.scrollTo(0, 0);
}

function paintFault() {
  const number = Number(byId("fault-world").value);
  const estimate = (cell, digits) => (cell ? withInterval(...cell, digits) : "–");
  const extras = Object.keys(DATA.extras);
  const rows = DATA.names.map((name, index) => {
    const cells = DATA.metrics.map((metric) => DATA.numbers[metric.name][number][index]);
    const more = extras.map((label) => DATA.extras[label][number][index]);
    return {
      keys: [name, ...cells.map((cell) => cell?.[0] ?? null), ...more],
      node: html("tr", {}, detectorCell(name), ...cells.map((cell, i) => html("td", {}, estimate(cell, digitsOf(DATA.metrics[i])))), ...more.map((value) => html("td", {}, shown(value)))),
    };
  });
  const columns = [{ label: "Detector", className: "left" }, ...DATA.metrics.map((metric) => ({ label: withUnit(metric), down: metric.higher, tip: metric.meaning })), ...extras.map((label) => ({ label }))];
  sortable(byId("fault-numbers"), columns, rows);
  paintFaultTiming(number);
  paintClip(DATA.faults[number]);
  byId("fault-watch").hidden = !DATA.examples.rows.some((row) => row.split === DATA.faults[number].split && row.world === DATA.faults[number].world);
}

// The clip plays only while its part is open.
function paintClip(fault) {
  const part = byId("fault-clip");
  const source = DATA.clips[`${fault.world} ${fault.anomaly}`];
  const alt = `An episode of ${fault.world} with ${fault.anomaly} beside its nominal twin`;
  part.hidden = source === undefined;
  part.ontoggle = () => part.lastElementChild.replaceChildren(...(part.open && source ? [html("img", { src: source, alt })] : []));
  part.ontoggle();
}

function paintFaultTiming(number) {
  const numbers = DATA.timing.alarms[byId("fault-alarm").value]?.[number] ?? [];
  const rows = DATA.names.flatMap((name, index) => {
    const found = numbers[index];
    if (!found) return [];
    return [timingRow(name, timingNumbers(found))];
  });
  sortable(byId("fault-timing"), [{ label: "Detector", className: "left" }, ...timingColumns()], rows);
}

export function startFaults() {
  byId("fault-world").addEventListener("change", paintFault);
  byId("fault-alarm").addEventListener("change", () => paintFaultTiming(Number(byId("fault-world").value)));
  byId("fault-close").addEventListener("click", () => byId("fault").close());
  byId("fault-watch").addEventListener("click", () => {
    const fault = DATA.faults[Number(byId("fault-world").value)];
    byId("fault").close();
    watchEpisode(fault.world, fault.split);
    byId("episodes").scrollIntoView();
  });
}
