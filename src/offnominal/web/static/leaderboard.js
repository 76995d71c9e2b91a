// The leaderboard of a run.

import { byId, draw, html, options, shown } from "./elements.js";
import { fromAddress, link, pageData, toAddress } from "./page.js";
import { detectorCell, digitsOf, mean, withInterval, withUnit } from "./detectors.js";
import { Choice } from "./choice.js";
import { heatMap } from "./heat.js";
import { fixed } from "./rounding.js";
import { sortable } from "./table.js";

const data = pageData();
const choice = new Choice(data, paint);

function paint() {
  const count = choice.faults.length;
  byId("status").textContent = count === 1 ? "1 fault" : `${count} faults`;
  byId("meaning").textContent = choice.metric.meaning;
  leaderboard();
  heatMap(data, choice);
  timing();
}

function leaderboard() {
  const metric = choice.metric;
  const entries = data.leaderboards[metric.name]?.[choice.key] ?? [];
  const x = barScale(entries, metric);
  const best = new Set(entries[0]?.[5] ?? "");
  const leader = data.names[entries[0]?.[0]];
  const rows = entries.map((row) => {
    const [index, value, low, high, rank, tie, blocks] = row;
    const name = data.names[index];
    const cost = data.cost[index];
    const leads = rank === 1 || (rank !== null && [...tie].some((letter) => best.has(letter)));
    const pair = name === leader ? null : link(`compare/${data.id}/${pairOf(leader, name)}`);
    return {
      keys: [rank, name, tie, value, null, cost.fit, cost.score],
      node: html(
        "tr",
        { class: leads ? "leader" : null, "data-name": name },
        html("td", {}, rank === null ? html("span", { title: `has results for ${blocks} faults only` }, "–") : String(rank)),
        detectorCell(data, name, pair),
        html("td", { class: "left ties" }, tie),
        html("td", {}, html("a", { class: "number", href: "#cells" }, ...withInterval(value, low, high, digitsOf(metric)))),
        html("td", { class: "graph" }, intervalBar(row, metric, x)),
        html("td", {}, shown(cost.fit, 1)),
        html("td", {}, shown(cost.score, 1)),
      ),
    };
  });
  const columns = [
    { label: "Rank" },
    { label: "Detector", className: "left" },
    { label: "Ties", className: "left", title: "Detectors that share a letter do not differ significantly" },
    { label: `${withUnit(metric)} ${metric.higher ? "↑ better" : "↓ better"}`, down: metric.higher },
    { label: metric.random_value === null ? "95 % interval" : `95 % interval; dashed: ${metric.random_value}`, sort: false, className: "graph" },
    { label: "Fit, CPU s", title: "CPU seconds to fit, mean over cells" },
    { label: "Score, CPU µs/step", title: "CPU microseconds per scored step" },
  ];
  sortable(byId("leaderboard"), columns, rows, { column: 0, up: true });
}

/** Two detectors as the address of their comparison: the one that leads the whole run first. */
function pairOf(one, other) {
  const [first, second] = [one, other].sort((a, b) => data.names.indexOf(a) - data.names.indexOf(b));
  return `${data.addresses[first]}/${data.addresses[second]}`;
}

function barScale(entries, metric) {
  const values = entries.flatMap((row) => row.slice(1, 4)).filter((value) => value !== null);
  if (metric.random_value !== null) values.push(metric.random_value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = 0.04 * (high - low) || 0.05;
  return (value) => (300 * (value - low + pad)) / (high - low + 2 * pad);
}

function intervalBar([index, value, low, high], metric, x) {
  const name = data.names[index];
  const colour = data.colours[name];
  return draw(
    "svg",
    { viewBox: "0 0 300 22", role: "img", "aria-label": `${name}: ${shown(value, digitsOf(metric))}` },
    metric.random_value === null ? null : draw("line", { class: "random", x1: x(metric.random_value), x2: x(metric.random_value), y1: 0, y2: 22 }),
    draw("line", { class: "grid", x1: 0, x2: 300, y1: 11, y2: 11 }),
    low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: colour, "stroke-width": 5, "stroke-linecap": "round", opacity: 0.4 }),
    draw("circle", { cx: x(value), cy: 11, r: 5, fill: data.baselines.includes(name) ? "var(--card)" : colour, stroke: colour, "stroke-width": 2 }),
  );
}

function timing() {
  const alarm = byId("alarm").value;
  if (!alarm) return;
  const labels = data.timing.columns;
  const missed = labels.findIndex((column) => column.name === "miss_rate");
  const rows = data.names.map((name, index) => {
    const found = choice.faults.map((fault) => data.timing.alarms[alarm][fault][index]).filter(Boolean);
    const numbers = labels.map((label, column) =>
      label.name === "median_delay" ? medianOf(found.map((row) => (row[column] === null && row[missed] !== null ? Infinity : row[column]))) : mean(found.map((row) => row[column])),
    );
    const cells = numbers.map((value, column) => html("td", {}, timingText(labels[column].name, value)));
    return { keys: [name, ...numbers], node: html("tr", {}, detectorCell(data, name), ...cells) };
  });
  sortable(byId("timing-table"), [{ label: "Detector", className: "left" }, ...labels.map((column) => ({ label: column.label }))], rows);
}

function medianOf(values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return known.length ? known[(known.length - 1) >> 1] : null;
}

function timingText(name, value) {
  if (value === null) return "–";
  if (value === Infinity) return html("span", { title: "More than half are missed, so the median is undefined" }, data.half_missed);
  return name.includes("delay") ? shown(value, 1) : name === "false_alarms" ? shown(value, 2) : `${fixed(100 * value, 1)} %`;
}

function startAlarms() {
  const alarms = Object.keys(data.timing.alarms);
  const wanted = fromAddress("alarm") ?? "";
  if (!alarms.length) byId("timing").hidden = true;
  options(byId("alarm"), alarms.map((alarm) => [alarm, alarm]), alarms.includes(wanted) ? wanted : (data.timing.default ?? ""));
  byId("alarm").addEventListener("change", () => {
    toAddress({ alarm: byId("alarm").value });
    timing();
  });
}

function openCells() {
  if (location.hash === "#cells") byId("cells").open = true;
}

startAlarms();
byId("study").addEventListener("change", () => location.assign(byId("study").value));
addEventListener("hashchange", openCells);
openCells();
paint();
