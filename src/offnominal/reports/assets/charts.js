// Figures: critical differences, distributions, delay against false alarms.

import { optionsFromAddress, toAddress } from "./address.js";
import { faultsNow, keyNow, metricNow, placeOf } from "./choice.js";
import { NOT_CONTROLLED, isBaseline, withUnit } from "./detectors.js";
import { byId, chart, clamp, draw, html, mean, put, ticks } from "./elements.js";
import { DATA } from "./page_data.js";
import { SHAPES, legendMark } from "./pair_figure.js";
import { fixed, shown } from "./rounding.js";
import { detectorLegend, visible } from "./visible_detectors.js";

export function criticalDifference() {
  const found = DATA.ranks[metricNow().name]?.[keyNow()];
  if (!found) return put("critical", html("p", { class: "note" }, "Needs at least two detectors and two faults."));
  const k = found.names.length;
  const [left, right, top] = [250, 750, 74];
  const x = (rank) => left + ((rank - 1) / (k - 1)) * (right - left);
  const half = Math.ceil(k / 2);
  const below = top + 20 + found.bars.length * 9;
  const height = below + half * 21 + 6;
  const parts = [draw("line", { class: "axis", x1: left, x2: right, y1: top, y2: top, "stroke-width": 1.5 })];
  for (let rank = 1; rank <= k; rank += 1) {
    parts.push(draw("line", { class: "axis", x1: x(rank), x2: x(rank), y1: top - 6, y2: top }));
    parts.push(draw("text", { class: "quiet", x: x(rank), y: top - 11, "text-anchor": "middle" }, String(rank)));
  }
  parts.push(...ruler(x, found.cd, k));
  found.names.forEach((index, place) => {
    const isLeft = place < half;
    const y = below + (isLeft ? place : k - 1 - place) * 21 + 8;
    parts.push(...rankLabel(DATA.names[index], found.ranks[place], x(found.ranks[place]), top, y, isLeft));
  });
  found.bars.forEach(([first, last], number) => {
    const y = top + 11 + number * 9;
    parts.push(draw("line", { x1: x(found.ranks[first]) - 5, x2: x(found.ranks[last]) + 5, y1: y, y2: y, stroke: "var(--ink)", "stroke-width": 4, "stroke-linecap": "round" }));
  });
  const p = found.p < 0.001 ? "p < 0.001" : `p = ${found.p}`;
  put(
    "critical",
    chart(`0 0 1000 ${height}`, "Critical-difference diagram of average ranks", parts),
    html(
      "figcaption",
      {},
      `Average ranks over ${found.blocks} faults (world × split); 1 is best. A bar joins detectors whose ranks are within Nemenyi's ` +
        `critical difference of ${fixed(found.cd, 2)} at the level 0.05. Friedman's test: ${p}. Faults of one world are not independent, so both overstate the confidence; the letters of the leaderboard do not.`,
    ),
  );
}

function ruler(x, cd, k) {
  const end = Math.min(1 + cd, k);
  return [
    draw("path", { class: "axis", d: `M${x(1)} 20v10M${x(1)} 25H${x(end)}M${x(end)} 20v10`, style: "stroke: var(--ink)" }),
    draw("text", { x: (x(1) + x(end)) / 2, y: 16, "text-anchor": "middle" }, `CD = ${fixed(cd, 2)}`),
  ];
}

function rankLabel(name, rank, x, top, y, isLeft) {
  const edge = isLeft ? 232 : 768;
  const anchor = isLeft ? "end" : "start";
  const text = isLeft ? edge - 10 : edge + 10;
  return [
    draw("path", { d: `M${x} ${top}V${y}H${edge}`, fill: "none", stroke: DATA.colours[name], "stroke-width": 1.6, "stroke-dasharray": isBaseline(name) ? "4 3" : null }),
    draw("circle", { cx: x, cy: top, r: 3.6, fill: DATA.colours[name], "data-tip": `${name}: average rank ${fixed(rank, 2)}` }),
    draw("text", { x: text, y: y + 4, "text-anchor": anchor }, isLeft ? `${name}  ` : "", draw("tspan", { class: "quiet", style: "fill: var(--soft)" }, fixed(rank, 2)), isLeft ? "" : `  ${name}`),
  ];
}

export function distribution(id, side, entries) {
  const metric = metricNow();
  const faults = faultsNow();
  const names = visible();
  const facets = entries.filter((entry) => faults.some((fault) => DATA.faults[fault][side] === entry));
  const numbers = DATA.numbers[metric.name];
  const values = faults.flatMap((fault) => names.map((index) => numbers[fault][index]).filter(Boolean).map((cell) => cell[0]));
  if (!values.length) return put(id, html("p", { class: "note" }, "No results for this selection."));
  const low = metric.unit ? 0 : Math.floor(20 * Math.min(...values, metric.random_value ?? 1)) / 20;
  const high = metric.unit ? Math.max(...values) : Math.max(...values, metric.random_value === 0 ? 0 : 1);
  const longest = Math.max(...names.map((index) => DATA.names[index].length));
  const [label, row, gap, top] = [clamp(18 + 6.6 * longest, 90, 260), 25, 22, 26];
  const width = (1000 - label) / facets.length - gap;
  const bottom = top + names.length * row;
  const parts = names.map((index, place) => draw("text", { x: label - 10, y: top + place * row + row / 2 + 4, "text-anchor": "end" }, DATA.names[index]));
  facets.forEach((entry, number) => {
    const start = label + number * (width + gap);
    const x = (value) => start + ((value - low) / (high - low || 1)) * width;
    parts.push(draw("text", { class: "strong", x: start, y: 14 }, entry), ...grid(x, low, high, top, bottom, metric));
    const here = faults.filter((fault) => DATA.faults[fault][side] === entry);
    names.forEach((index, place) => {
      const name = DATA.names[index];
      const found = here.map((fault) => [numbers[fault][index]?.[0], fault]).filter(([value]) => value !== undefined && value !== null);
      if (found.length) parts.push(...boxRow(found, x, top + place * row + row / 2, DATA.colours[name], isBaseline(name)));
    });
  });
  parts.push(draw("text", { class: "quiet", x: label + (1000 - label) / 2, y: bottom + 36, "text-anchor": "middle" }, withUnit(metric)));
  put(id, detectorLegend(), chart(`0 0 1000 ${bottom + 42}`, `${metric.label} per detector by ${side}`, parts));
}

function grid(x, low, high, top, bottom, metric) {
  const lines = ticks(low, high, 6).flatMap((tick) => [
    draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
    draw("text", { class: "quiet", x: x(tick), y: bottom + 16, "text-anchor": "middle" }, String(tick)),
  ]);
  if (metric.random_value !== null) lines.push(draw("line", { class: "random", x1: x(metric.random_value), x2: x(metric.random_value), y1: top, y2: bottom }));
  return lines;
}

function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

function boxRow(found, x, y, colour, hollow) {
  const sorted = found.map(([value]) => value).sort((a, b) => a - b);
  const [q1, q2, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share));
  return [
    draw("line", { x1: x(sorted[0]), x2: x(sorted.at(-1)), y1: y, y2: y, stroke: colour, "stroke-width": 1 }),
    draw("rect", { x: x(q1), y: y - 6.5, width: Math.max(x(q3) - x(q1), 1), height: 13, rx: 2, fill: hollow ? "var(--card)" : colour, "fill-opacity": hollow ? 1 : 0.3, stroke: colour }),
    draw("line", { x1: x(q2), x2: x(q2), y1: y - 6.5, y2: y + 6.5, stroke: colour, "stroke-width": 2.5 }),
    ...found.map(([value, fault]) =>
      draw("circle", { cx: x(value), cy: y + (((fault * 7) % 9) - 4) * 1.1, r: 1.8, fill: colour, opacity: 0.75, "data-tip": `${DATA.faults[fault].split}, ${DATA.faults[fault].world}: ${shown(value)}` }),
    ),
  ];
}

const hiddenAlarms = new Set();

function alarmLegend() {
  const alarms = Object.keys(DATA.timing.alarms);
  const entries = alarms.map((alarm, shape) => {
    const toggle = () => {
      if (hiddenAlarms.has(alarm)) hiddenAlarms.delete(alarm);
      else if (hiddenAlarms.size < alarms.length - 1) hiddenAlarms.add(alarm);
      delayAgainstFalseAlarms();
      byId("tradeoff").querySelectorAll(".legend button")[shape].focus();
    };
    return html("li", {}, html("button", { type: "button", class: "plain", "aria-pressed": String(!hiddenAlarms.has(alarm)), onclick: toggle }, ...legendMark(shape, "var(--soft)", alarm)));
  });
  return html("ul", { class: "legend toggles", "aria-label": "Alarms: press to show or hide" }, ...entries);
}

// Curves are over all faults of the chosen world, so the points of the alarms are, too.
function alarmPoints(number) {
  const world = placeOf("world");
  const faults = DATA.faults.flatMap((fault, place) => (world < 0 || DATA.worlds[world] === fault.world ? [place] : []));
  const column = (name) => DATA.timing.columns.findIndex((entry) => entry.name === name);
  const [height, rate] = [column(number), column("false_alarms")];
  return Object.entries(DATA.timing.alarms).flatMap(([alarm, numbers], shape) =>
    (hiddenAlarms.has(alarm) ? [] : visible()).flatMap((index) => {
      const rows = faults.map((fault) => numbers[fault][index]).filter((row) => row && row[height] !== null && row[rate] !== null);
      return rows.length ? [{ alarm, shape, name: DATA.names[index], y: mean(rows.map((row) => row[height])), x: mean(rows.map((row) => row[rate])) }] : [];
    }),
  );
}

const PANELS = [
  { what: "detected", label: "detected within 20 steps", digits: 3 },
  { what: "delay", label: "mean delay, a miss costs 20 (steps)", digits: 1 },
];

/** The same controlled for time, where random scores and the elapsed time have `random`. */
const NET_PANELS = [
  { what: "net_detected", label: "net detection within 20 steps", random: 0 },
  { what: "net_delay", label: "net delay, a miss costs 20 (steps)", random: 20 },
];
const NET = "net";
const CONTROLLED = NET_PANELS.every((panel) => DATA.curves?.[panel.what]);

/** Starts the choice of curves; runs of older versions have no choice. */
export function startCurves() {
  byId("tradeoff-controls").hidden = !CONTROLLED;
  if (!CONTROLLED) return;
  optionsFromAddress("curves", [[NET, "controlled for time"], ["seen", "as an operator sees it, with the alarms"]], NET);
  byId("curves").addEventListener("change", () => {
    toAddress({ curves: byId("curves").value === NET ? null : byId("curves").value });
    delayAgainstFalseAlarms();
  });
}

// A budget per hour is another rate in each world, by the length of its steps.
function allowedRates() {
  const world = placeOf("world");
  return [...new Set(world < 0 ? DATA.curves.allowed : [DATA.curves.allowed[world]])].filter((rate) => rate !== null && rate >= DATA.curves.budgets[0] && rate <= DATA.curves.budgets.at(-1));
}

function budgetPanel({ what, label, digits, random }, top) {
  const budgets = DATA.curves.budgets;
  const curves = DATA.curves[what][String(placeOf("world"))];
  const [left, right, bottom] = [70, 985, top + 316];
  const [first, last] = [Math.log10(budgets[0]), Math.log10(budgets.at(-1))];
  const points = random === undefined ? alarmPoints(DATA.curves.points[what]) : [];
  const smaller = points.some((point) => point.x > 0 && point.x < budgets[0]);
  const zero = points.some((point) => point.x <= 0) ? 60 : 0;
  const x = (rate) => rate <= 0 ? left : left + zero + ((Math.log10(clamp(rate, budgets[0], budgets.at(-1))) - first) / (last - first)) * (right - left - zero);
  const lines = visible().filter((index) => curves[index]);
  const ends = random === undefined ? [] : lines.flatMap((index) => curves[index].flatMap((point) => point.slice(1)));
  const least = what === "net_detected" ? Math.min(0, Math.floor(Math.min(0, ...ends) * 5) / 5) : 0;
  const most = what.endsWith("detected") ? 1 : 5 * Math.ceil(Math.max(20, ...ends) / 5);
  const hourly = placeOf("world") < 0 ? null : DATA.curves.hourly[placeOf("world")];
  const y = (value) => bottom - ((value - least) / (most - least)) * (bottom - top);
  const path = (index, place) => curves[index].map((point, number) => `${number ? "L" : "M"}${x(budgets[number])} ${y(point[place])}`).join("");
  const back = (index) => [...curves[index]].reverse().map((point, number) => `L${x(budgets[budgets.length - 1 - number])} ${y(point[1])}`).join("");
  return [
    ...[...(zero ? [0] : []), ...budgets].flatMap((tick) => [draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }), draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, tick === budgets[0] && smaller ? `≤ ${tick}` : String(tick))]),
    ...(random === undefined ? [] : [draw("line", { class: "random", x1: left, x2: right, y1: y(random), y2: y(random) })]),
    ...ticks(least, most, 5).flatMap((tick) => [draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { class: "quiet", x: left - 9, y: y(tick) + 4, "text-anchor": "end" }, String(tick))]),
    ...allowedRates().map((rate) => draw("line", { class: "axis", x1: x(rate), x2: x(rate), y1: top, y2: bottom, "stroke-dasharray": "3 3" })),
    draw("text", { class: "quiet", x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, `false alarms per 1,000 nominal steps (log scale); dashed: the budget${allowedRates().length > 1 ? " in each world" : ""}${hourly ? `; 1 is ${shown(hourly, 1)} per hour` : ""}`),
    draw("text", { class: "quiet", transform: `translate(20 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, label),
    ...lines.map((index) => draw("path", { d: `${path(index, 2)}${back(index)}Z`, fill: DATA.colours[DATA.names[index]], opacity: 0.1 })),
    ...lines.map((index) => draw("path", { d: path(index, 0), fill: "none", stroke: DATA.colours[DATA.names[index]], "stroke-width": 2, "stroke-dasharray": isBaseline(DATA.names[index]) ? "5 4" : null, "data-tip": DATA.names[index] })),
    ...points.map((point) =>
      draw("path", { "data-tip": `${point.name}, ${point.alarm}: ${shown(point.y, digits)} at ${shown(point.x, 2)} false alarms per 1,000 steps`, d: SHAPES[point.shape % SHAPES.length], transform: `translate(${x(point.x)} ${y(clamp(point.y, 0, most))})`, fill: isBaseline(point.name) ? "var(--paper)" : DATA.colours[point.name], stroke: DATA.colours[point.name], "stroke-width": 1.4 }),
    ),
  ];
}

export function delayAgainstFalseAlarms() {
  if (!DATA.curves) return put("tradeoff", html("p", { class: "note" }, "This run has no curves: it was computed without nominal episodes, or by an older version."));
  const controlled = CONTROLLED && byId("curves").value === NET;
  const panels = controlled ? NET_PANELS : PANELS;
  const about = controlled
    ? "Each curve is a detector with every threshold, minus the alarms of nominal episodes at the same times: random scores and the elapsed time are on the dashed line."
    : "Each curve is a detector with every threshold; a mark is an alarm, with its own rate of false alarms.";
  put(
    "tradeoff",
    ...(controlled ? [] : [alarmLegend()]),
    chart("0 0 1000 770", "Detection and delay against false alarms", [...budgetPanel(panels[0], 14), ...budgetPanel(panels[1], 404)]),
    detectorLegend(),
    html("figcaption", {}, `${about} Means over all faults of the chosen worlds; bands are the means of 95 % intervals. Up and to the left is better above, down and to the left below.${controlled ? "" : ` ${NOT_CONTROLLED}`}`),
  );
}
