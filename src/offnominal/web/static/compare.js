// Comparison of two detectors.

import { byId, draw, html, options, put, shown, ticks } from "./elements.js";
import { fromAddress, link, pageData, toAddress } from "./page.js";
import { digitsOf, withInterval, withUnit } from "./detectors.js";
import { sortable } from "./table.js";

const data = pageData();
const [first, second] = data.pair;
const OUTCOMES = { win: `${first} better`, tie: "tie", loss: `${second} better` };
const COLOURS = { win: data.colours[first], tie: "var(--faint)", loss: data.colours[second] };
const ORDER = ["kind", "level", "world"];

const metricNow = () => data.metrics.find((metric) => metric.name === byId("metric").value);

function paint() {
  const metric = metricNow();
  const found = data.compared[metric.name];
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
  const [left, right, top, bottom] = [58, 506, 16, 464];
  const all = found.faults.flatMap(([, one, other]) => [one[0], other[0]]);
  const [lowest, highest] = [Math.min(...all), Math.max(...all)];
  const pad = 0.04 * (highest - lowest) || 0.05;
  const [low, high] = [lowest - pad, highest + pad];
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const grid = ticks(low, high, 5).flatMap((tick) => [
    draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
    draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }),
    draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick)),
    draw("text", { class: "quiet", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)),
  ]);
  const points = found.faults.map(([number, one, other, , outcome]) => {
    const fault = data.faults[number];
    const label = `${fault.split}, ${fault.world}: ${first} ${shown(one[0])}, ${second} ${shown(other[0])}; ${OUTCOMES[outcome]}`;
    return draw(
      "a",
      { href: link(`faults/${data.id}/${fault.id}`), "aria-label": label },
      draw("circle", { cx: x(other[0]), cy: y(one[0]), r: 5, fill: outcome === "tie" ? "var(--card)" : COLOURS[outcome], stroke: COLOURS[outcome], "stroke-width": 1.5, "fill-opacity": 0.85 }),
      draw("title", {}, label),
    );
  });
  const above = metric.higher ? first : second;
  const below = metric.higher ? second : first;
  put(
    "scatter",
    draw(
      "svg",
      { viewBox: "0 0 520 510", role: "group", "aria-label": `${metric.label} of ${first} against ${second}, one point per fault` },
      ...grid,
      draw("line", { class: "axis", x1: x(low), y1: y(low), x2: x(high), y2: y(high), "stroke-dasharray": "4 4" }),
      draw("text", { class: "quiet", x: left + 10, y: top + 18 }, `${above} better`),
      draw("text", { class: "quiet", x: right - 8, y: bottom - 10, "text-anchor": "end" }, `${below} better`),
      ...points,
      draw("text", { x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, `${second}: ${withUnit(metric)}`),
      draw("text", { transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `${first}: ${withUnit(metric)}`),
    ),
  );
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
    bar(overall.counts, true),
    html(
      "ul",
      { class: "legend" },
      ...Object.entries(OUTCOMES).map(([outcome, text], place) =>
        html("li", {}, html("span", { class: outcome === "tie" ? "dot open" : "dot", "--own": COLOURS[outcome], "aria-hidden": "true" }), `${text}: ${overall.counts[place]}`),
      ),
    ),
  );
}

function bar([wins, ties, losses], large = false) {
  const total = wins + ties + losses || 1;
  const width = 300;
  const parts = [
    [wins, COLOURS.win, 1],
    [ties, "var(--rule-strong)", 0.6],
    [losses, COLOURS.loss, 1],
  ];
  let start = 0;
  const rects = parts.map(([count, fill, opacity]) => {
    const rect = draw("rect", { x: start, y: 3, width: (width * count) / total, height: 16, fill, "fill-opacity": opacity });
    start += (width * count) / total;
    return rect;
  });
  return draw("svg", { viewBox: `0 0 ${width} 22`, role: "img", class: large ? "outcomes large" : "outcomes", "aria-label": `${wins} wins, ${ties} ties, ${losses} losses` }, ...rects);
}

function groups(metric, found) {
  const rows = ORDER.flatMap((column) => {
    const known = { kind: data.kinds, level: data.levels, world: data.worlds }[column];
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
          html("td", { class: "graph narrow" }, bar(group.counts)),
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
    const fault = data.faults[number];
    const cell = (name, numbers) => {
      const keys = data.cells[fault.world]?.[name] ?? [];
      const text = withInterval(...numbers, digitsOf(metric));
      return html("td", {}, keys.length ? html("a", { class: "number", href: link(`cells/${keys[0][0]}`) }, ...text) : text);
    };
    return {
      keys: [fault.split, fault.world, one[0], other[0], difference[0], outcome],
      node: html(
        "tr",
        {},
        html("th", { scope: "row" }, html("a", { class: "quiet", href: link(`faults/${data.id}/${fault.id}`) }, fault.split)),
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
  const names = data.names.includes(first) && data.names.includes(second) ? data.names : [...new Set([...data.names, first, second])];
  options(byId("first"), names.map((name) => [name, name]), first);
  options(byId("second"), names.map((name) => [name, name]), second);
  for (const side of ["first", "second"]) byId(side).addEventListener("change", () => go(names));
  const wanted = fromAddress("metric");
  options(byId("metric"), data.metrics.map((metric) => [metric.name, metric.label]), data.metrics.some((metric) => metric.name === wanted) ? wanted : data.metrics[0].name);
  byId("metric").addEventListener("change", () => {
    toAddress({ metric: byId("metric").value });
    paint();
  });
  byId("study").addEventListener("change", () => location.assign(byId("study").value));
}

/** Opens the page of the chosen pair; the detector that leads the run is always the first. */
function go(names) {
  const pair = [byId("first").value, byId("second").value].sort((a, b) => names.indexOf(a) - names.indexOf(b));
  if (pair[0] === pair[1]) return;
  const query = byId("metric").value === data.metrics[0].name ? {} : { metric: byId("metric").value };
  location.assign(link(`compare/${data.id}/${data.addresses[pair[0]]}/${data.addresses[pair[1]]}`, query));
}

if (data.metrics.length) {
  start();
  paint();
}
