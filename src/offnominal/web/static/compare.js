// Comparison of two detectors.

import { toAddress } from "./address.js";
import { fillMetrics, metricInAddress, metricNow } from "./choice.js";
import { digitsOf, withInterval, withUnit } from "./detectors.js";
import { byId, html, options, put } from "./elements.js";
import { link } from "./page.js";
import { DATA } from "./page_data.js";
import { outcomeBar, outcomeLegend, pairScatter } from "./pair_figure.js";
import { shown } from "./rounding.js";
import { sortable } from "./table.js";

const [first, second] = DATA.pair;
const OUTCOMES = { win: `${first} better`, tie: "tie", loss: `${second} better` };
const COLOURS = { win: DATA.colours[first], tie: "var(--faint)", loss: DATA.colours[second] };
const ORDER = ["kind", "level", "world"];

function paint() {
  const metric = metricNow();
  const found = DATA.compared[metric.name];
  byId("meaning").textContent = `${withUnit(metric)}: ${metric.meaning} ${metric.higher ? "Higher" : "Lower"} is better.`;
  verdict(metric, found.overall);
  scatter(metric, found);
  summary(metric, found.overall);
  groups(metric, found);
  faults(metric, found);
  byId("left-out").textContent = found.left_out ? `${found.left_out} faults are left out: only one detector has results for them.` : "";
}

function verdict(metric, overall) {
  const [value, low, high] = overall.difference;
  const interval = low === null ? "" : `, 95 % interval ${shown(low, digitsOf(metric))} to ${shown(high, digitsOf(metric))}`;
  const size = `The paired difference in ${metric.label} is ${shown(value, digitsOf(metric))}${metric.unit ? ` ${metric.unit}` : ""}${interval}.`;
  const winner = { win: first, loss: second }[overall.outcome];
  put("verdict", ...(winner ? [html("strong", {}, winner), " is better. "] : ["There is no significant difference. "]), size);
}

function scatter(metric, found) {
  const points = found.faults.map(([number, [one], [other], , outcome]) => {
    const { id, split, world } = DATA.faults[number];
    const tip = `${split}, ${world}: ${first} ${shown(one)}, ${second} ${shown(other)}; ${OUTCOMES[outcome]}`;
    return { one, other, outcome, tip, href: link(`faults/${DATA.id}/${id}`) };
  });
  put("scatter", pairScatter(metric, [first, second], points, COLOURS));
}

function summary(metric, overall) {
  const [wins, ties, losses] = overall.counts;
  const means = [
    [first, overall.first],
    [second, overall.second],
  ];
  put(
    "summary",
    html("h3", {}, `Mean over ${wins + ties + losses} faults`),
    html(
      "dl",
      { class: "facts" },
      ...means.map(([name, numbers]) => html("div", {}, html("dt", {}, name), html("dd", {}, ...withInterval(...numbers, digitsOf(metric))))),
      html("div", {}, html("dt", {}, "difference"), html("dd", {}, ...withInterval(...overall.difference, digitsOf(metric)))),
    ),
    html("h3", {}, "Wins, ties, losses"),
    outcomeBar(overall.counts, COLOURS),
    outcomeLegend(Object.fromEntries(Object.entries(OUTCOMES).map(([outcome, text], place) => [outcome, `${text}: ${overall.counts[place]}`])), COLOURS),
  );
}

function groups(metric, found) {
  const rows = ORDER.flatMap((column) => {
    const known = { kind: DATA.kinds, level: DATA.levels, world: DATA.worlds }[column];
    const values = Object.keys(found.groups[column]).sort((a, b) => known.indexOf(a) - known.indexOf(b));
    return values.map((value) => {
      const group = found.groups[column][value];
      const winner = { win: first, loss: second }[group.outcome] ?? "–";
      return {
        keys: [column, value, group.first[0], group.second[0], group.difference[0], winner, ...group.counts, null],
        node: html(
          "tr",
          {},
          html("td", { class: "left" }, column),
          html("th", { scope: "row" }, value),
          html("td", {}, shown(group.first[0], digitsOf(metric))),
          html("td", {}, shown(group.second[0], digitsOf(metric))),
          html("td", {}, ...withInterval(...group.difference, digitsOf(metric))),
          html("td", { class: "left" }, winner),
          ...group.counts.map((count) => html("td", {}, String(count))),
          html("td", { class: "graph narrow" }, outcomeBar(group.counts, COLOURS)),
        ),
      };
    });
  });
  sortable(
    byId("groups"),
    [
      { label: "By", className: "left" },
      { label: "Group", className: "left" },
      { label: first },
      { label: second },
      { label: "Difference, 95 % interval" },
      { label: "Better", className: "left" },
      { label: "Wins" },
      { label: "Ties" },
      { label: "Losses" },
      { label: "", sort: false, className: "graph" },
    ],
    rows,
  );
}

function faults(metric, found) {
  const rows = found.faults.map(([number, one, other, difference, outcome]) => {
    const fault = DATA.faults[number];
    const cell = (name, numbers) => {
      const keys = DATA.cells[fault.world]?.[name] ?? [];
      const text = withInterval(...numbers, digitsOf(metric));
      return html("td", {}, keys.length ? html("a", { class: "number", href: link(`cells/${keys[0][0]}`) }, ...text) : text);
    };
    return {
      keys: [fault.split, fault.world, one[0], other[0], difference[0], outcome],
      node: html(
        "tr",
        {},
        html("th", { scope: "row" }, html("a", { class: "quiet", href: link(`faults/${DATA.id}/${fault.id}`) }, fault.split)),
        html("td", { class: "left" }, fault.world),
        cell(first, one),
        cell(second, other),
        html("td", {}, ...withInterval(...difference, digitsOf(metric))),
        html("td", { class: "left" }, outcome),
      ),
    };
  });
  const labels = ["Fault", "World", first, second, "Difference, 95 % interval", "Outcome"];
  sortable(byId("faults"), labels.map((label, place) => ({ label, className: [0, 1, 5].includes(place) ? "left" : undefined })), rows);
}

function start() {
  const names = DATA.names.includes(first) && DATA.names.includes(second) ? DATA.names : [...new Set([...DATA.names, first, second])];
  options(byId("first"), names.map((name) => [name, name]), first);
  options(byId("second"), names.map((name) => [name, name]), second);
  for (const side of ["first", "second"]) byId(side).addEventListener("change", () => go(names));
  fillMetrics();
  byId("metric").addEventListener("change", () => {
    toAddress({ metric: metricInAddress() });
    paint();
  });
  byId("study").addEventListener("change", () => location.assign(byId("study").value));
}

/** Opens the page of the chosen pair; the detector that leads the run is always the first. */
function go(names) {
  const pair = [byId("first").value, byId("second").value].sort((a, b) => names.indexOf(a) - names.indexOf(b));
  if (pair[0] === pair[1]) return;
  const metric = metricInAddress();
  location.assign(link(`compare/${DATA.id}/${DATA.addresses[pair[0]]}/${DATA.addresses[pair[1]]}`, metric ? { metric } : {}));
}

if (DATA.metrics.length) {
  start();
  paint();
}
