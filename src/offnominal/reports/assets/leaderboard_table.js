// The leaderboard: ranks, ties, values with intervals, and costs.

import { leaderboardNow, metricNow } from "./choice.js";
import { detectorCell, digitsOf, isBaseline, withInterval, withUnit } from "./detectors.js";
import { byId, draw, html } from "./elements.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { sortable } from "./table.js";

/**
 * Draws the leaderboard of the choice.
 * @param {{ pair?: (leader: string, name: string) => string, cells?: string }} [links] addresses of the comparison with
 *   the best detector, and of the cells behind a number
 */
export function leaderboardTable({ pair, cells } = {}) {
  const metric = metricNow();
  const entries = leaderboardNow();
  const x = barScale(entries, metric);
  const digits = digitsOf(metric);
  const leader = DATA.names[entries[0]?.[0]];
  const best = new Set(entries[0]?.[5] ?? "");
  const isBest = (rank, tie) => rank === 1 || (rank !== null && [...tie].some((letter) => best.has(letter)));
  const rows = entries.map((row) => {
    const [index, value, low, high, rank, tie, blocks] = row;
    const cost = DATA.cost[index];
    const name = DATA.names[index];
    const number = withInterval(value, low, high, digits);
    return {
      keys: [rank, name, tie, value, null, cost.fit, cost.score],
      values: [rank, name, tie, value, low, high, cost.fit, cost.score],
      node: html(
        "tr",
        { "data-name": name, class: isBest(rank, tie) ? "leader" : null },
        html("td", {}, rank === null ? html("button", { type: "button", class: "plain", "data-tip": `Has results for ${blocks} faults only.` }, "–") : String(rank)),
        detectorCell(name, pair && name !== leader ? pair(leader, name) : null),
        html("td", { class: "left ties" }, tie),
        html("td", {}, cells ? html("a", { class: "number", href: cells }, number) : number),
        html("td", { class: "graph", "data-text": "" }, intervalBar(row, metric, x)),
        html("td", {}, shown(cost.fit, 1)),
        html("td", {}, shown(cost.score, 1)),
      ),
    };
  });
  const columns = [
    { label: "Rank" },
    { label: "Detector", className: "left" },
    { label: "Ties", className: "left", tip: "Detectors that share a letter do not differ significantly: the interval of their paired difference contains 0." },
    { label: `${withUnit(metric)} ${metric.higher ? "↑ better" : "↓ better"}`, down: metric.higher, tip: metric.meaning },
    { label: metric.random_value === null ? "95 % interval" : `95 % interval; dashed: ${metric.random_value}`, sort: false, className: "graph" },
    { label: "Fit, CPU s", tip: "CPU seconds to fit, mean over cells." },
    { label: "Score, CPU µs/step", tip: "CPU microseconds per scored step." },
  ];
  sortable(byId("leaderboard"), columns, rows, { column: 0, up: true }, ["rank", "detector", "ties", metric.name, "low", "high", "fit_cpu_s", "score_cpu_us"]);
  byId("meaning").textContent = metric.meaning;
}

function barScale(entries, metric) {
  const values = entries.flatMap((row) => row.slice(1, 4)).filter((value) => value !== null);
  if (metric.random_value !== null) values.push(metric.random_value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = 0.04 * (high - low) || 0.05;
  return (value) => (300 * (value - low + pad)) / (high - low + 2 * pad);
}

function intervalBar([index, value, low, high], metric, x) {
  const name = DATA.names[index];
  const colour = DATA.colours[name];
  return draw(
    "svg",
    { viewBox: "0 0 300 22", role: "img", "aria-label": `${name}: ${shown(value, digitsOf(metric))}` },
    metric.random_value === null ? null : draw("line", { class: "random", x1: x(metric.random_value), x2: x(metric.random_value), y1: 0, y2: 22 }),
    draw("line", { class: "grid", x1: 0, x2: 300, y1: 11, y2: 11 }),
    low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: colour, "stroke-width": 5, "stroke-linecap": "round", opacity: 0.4 }),
    draw("circle", { cx: x(value), cy: 11, r: 5, fill: isBaseline(name) ? "var(--card)" : colour, stroke: colour, "stroke-width": 2 }),
  );
}
