// Delays of the alarms and rates of false alarms.

import { optionsFromAddress, toAddress } from "./address.js";
import { faultsNow } from "./choice.js";
import { detectorCell } from "./detectors.js";
import { byId, html, mean } from "./elements.js";
import { DATA } from "./page_data.js";
import { fixed, shown } from "./rounding.js";
import { sortable } from "./table.js";

/** Names of the alarms of the run. */
export const ALARMS = Object.keys(DATA.timing?.alarms ?? {});
const DEFAULT = DATA.timing?.default ?? "";

/** Fills the choice of an alarm; first is the one with a guarantee. */
export function fillAlarms() {
  optionsFromAddress("alarm", ALARMS.map((alarm) => [alarm, alarm]), DEFAULT);
}

/** Returns what the address says about the alarm: nothing about the default. */
export const alarmInAddress = () => (byId("alarm").value === DEFAULT ? null : byId("alarm").value);

/** Starts the choice of the alarm of the timing table. */
export function startTiming() {
  fillAlarms();
  byId("alarm").addEventListener("change", () => {
    toAddress({ alarm: alarmInAddress() });
    timingTable();
  });
}

/** Calls a function after another alarm was chosen. */
export function onAlarm(watcher) {
  byId("alarm").addEventListener("change", watcher);
}

/** Draws the table of the chosen alarm and faults. */
export function timingTable() {
  const alarm = byId("alarm").value;
  if (!alarm) return;
  const faults = faultsNow();
  const rows = DATA.names.map((name, index) => {
    const found = faults.map((fault) => DATA.timing.alarms[alarm][fault][index]).filter(Boolean).map(timingNumbers);
    return timingRow(name, DATA.timing.columns.map((column, place) => together(column.name, found.map((row) => row[place]))));
  });
  sortable(byId("timing-table"), [{ label: "Detector", className: "left" }, ...timingColumns()], rows.filter((row) => row.keys.slice(1).some((value) => value !== null)));
}

export const timingColumns = () => DATA.timing.columns.map((column) => ({ label: column.label, tip: column.meaning }));

// A median delay that is missing beside a known miss rate does not exist: more than half are missed.
const isMedian = (column) => column.name === "median_delay";

/** Returns the numbers of a detector in the order of the columns; a median that does not exist is infinite. */
export function timingNumbers(row) {
  const missed = row[DATA.timing.columns.findIndex((column) => column.name === "miss_rate")];
  return DATA.timing.columns.map((column, place) => (isMedian(column) && row[place] === null && missed !== null ? Infinity : row[place]));
}

function together(name, values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return name !== "median_delay" ? mean(known) : known.length ? known[(known.length - 1) >> 1] : null;
}

/** Returns a row of a table of timing. */
export function timingRow(name, numbers) {
  return { keys: [name, ...numbers], values: [name, ...numbers.map((value) => (value === Infinity ? null : value))], node: html("tr", { "data-name": name }, detectorCell(name), ...timingCells(numbers)) };
}

/** Returns the cells of the numbers of a detector. */
export function timingCells(numbers) {
  return numbers.map((value, place) => html("td", { "data-tip": value === Infinity ? "More than half are missed, so the median is undefined." : null }, timingText(DATA.timing.columns[place].name, value)));
}

function timingText(name, value) {
  if (value === null || value === undefined) return "–";
  if (value === Infinity) return DATA.half_missed;
  return name.includes("delay") ? shown(value, 1) : name === "false_alarms" ? shown(value, 2) : percentage(value);
}

/** Returns a share in percent. */
export const percentage = (share) => `${fixed(100 * share, 1).replace("-", "−")} %`;
