// The episode viewer: a score, its nominal twin, the fault and the alarms.

import { fromAddress, toAddress } from "./address.js";
import { byId, chart, draw, html, options, put, ticks } from "./elements.js";
import { DATA } from "./page_data.js";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function decoded(text, [low, high]) {
  const points = [];
  for (let i = 0; i < text.length; i += 2) {
    const code = ALPHABET.indexOf(text[i]) * 64 + ALPHABET.indexOf(text[i + 1]);
    points.push(low + (code / 4095) * (high - low));
  }
  return points;
}

const unique = (values) => [...new Set(values)];
const exampleRows = (filter) => DATA.examples.rows.filter((row) => Object.entries(filter).every(([key, value]) => String(row[key]) === value));

function refill(id, values, wanted) {
  const texts = values.map(String);
  options(byId(id), texts.map((text) => [text, text]), texts.includes(wanted) ? wanted : texts[0]);
  return byId(id).value;
}

function refreshEpisode(wanted = {}) {
  const want = (id) => wanted[id] ?? byId(`episode-${id}`).value;
  const before = Object.fromEntries(["world", "split", "name", "number"].map((id) => [id, want(id)]));
  const world = refill("episode-world", unique(DATA.examples.rows.map((row) => row.world)), before.world);
  const split = refill("episode-split", unique(exampleRows({ world }).map((row) => row.split)), before.split);
  const found = unique(exampleRows({ world, split }).map((row) => row.name));
  const name = refill("episode-name", DATA.names.filter((entry) => found.includes(entry)), before.name);
  const episode = refill("episode-number", unique(exampleRows({ world, split, name }).map((row) => row.episode)), before.number);
  const row = exampleRows({ world, split, name, episode })[0];
  const first = row === DATA.examples.rows[DATA.examples.default];
  toAddress({ episode: first ? null : [world, split, name, episode].join("\n") });
  paintEpisode(row);
}

/** Shows an episode of a fault. */
export const watchEpisode = (world, split) => refreshEpisode({ world, split });

function paintEpisode(row) {
  const [left, right, top, bottom] = [52, 880, 44, 330];
  const scores = decoded(row.scores, row.range);
  const twin = row.twin ? decoded(row.twin, row.range) : [];
  const wantsLog = byId("episode-log").checked;
  const limits = Object.values(row.thresholds);
  const all = [...scores, ...twin, ...limits];
  const lowest = Math.min(...all);
  const bend = (value) => (wantsLog ? Math.log10(value - lowest + 0.002 * (Math.max(...all) - lowest) + 1e-12) : value);
  const [low, high] = [bend(lowest), bend(Math.max(...all))];
  const y = (value) => bottom - ((bend(value) - low) / (high - low || 1)) * (bottom - top);
  const last = Math.max(scores.length, twin.length) * row.stride;
  const x = (step) => left + (step / (last - 1 || 1)) * (right - left);
  const path = (points) => points.map((value, i) => `${i ? "L" : "M"}${x(i * row.stride).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const end = Math.min(row.end ?? row.length, row.length) - 1;
  const parts = [
    row.onset === null ? null : draw("rect", { x: x(row.onset), y: top, width: Math.max(x(end) - x(row.onset), 1), height: bottom - top, fill: "var(--fault)", "data-part": "fault" }),
    ...episodeAxes(x, y, last, all, wantsLog, { left, right, top, bottom }),
    row.onset === null ? null : draw("text", { class: "quiet", x: x(Math.max(row.onset, row.effective ?? 0)) + 6, y: top + 15 }, "fault on"),
    row.effective === null || row.effective === row.onset ? null : draw("line", { x1: x(row.effective), x2: x(row.effective), y1: top, y2: bottom, stroke: "var(--bad)", "stroke-dasharray": "2 3", "stroke-width": 1.5, "data-tip": `Effective onset: step ${row.effective}, the first at which the episode differs from its twin.` }),
    twin.length ? draw("path", { d: path(twin), fill: "none", stroke: "var(--twin)", "stroke-width": 1.3 }) : null,
    draw("path", { d: path(scores), fill: "none", stroke: DATA.colours[row.name], "stroke-width": 1.8, "data-part": "score" }),
    ...thresholdLines(row, y, left, right),
    ...alarmMarks(row, x, top),
  ];
  put("episode", chart("0 0 1000 378", `Scores of ${row.name} in ${row.world}, ${row.split}`, parts), episodeLegend(row, twin.length > 0), episodeFacts(row));
}

function episodeLegend(row, hasTwin) {
  const entry = (colour, text) => html("li", { "--own": colour }, html("span", { class: "dot", "aria-hidden": "true" }), text);
  return html("ul", { class: "legend" }, entry(DATA.colours[row.name], row.name), hasTwin ? entry("var(--twin)", "nominal twin") : null);
}

function episodeAxes(x, y, last, all, wantsLog, { left, right, top, bottom }) {
  const range = [Math.min(...all), Math.max(...all)];
  const heights = wantsLog ? range : ticks(...range, 4);
  return [
    ...heights.flatMap((tick) => [draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { class: "quiet", x: left - 9, y: y(tick) + 4, "text-anchor": "end" }, String(+tick.toPrecision(3)))]),
    ...ticks(0, last - 1, 8).map((tick) => draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick))),
    draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    draw("text", { class: "quiet", x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, "transition"),
    draw("text", { class: "quiet", transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "score"),
  ];
}

function thresholdLines(row, y, left, right) {
  const sorted = Object.entries(row.thresholds).sort((a, b) => b[1] - a[1]);
  let lowest = -Infinity;
  return sorted.flatMap(([alarm, value]) => {
    const text = Math.max(y(value) + 4, lowest + 14);
    lowest = text;
    return [
      draw("line", { x1: left, x2: right, y1: y(value), y2: y(value), stroke: "var(--ink)", "stroke-dasharray": "6 4", "stroke-width": 1 }),
      draw("text", { class: "quiet", x: right + 8, y: text }, alarm),
    ];
  });
}

function alarmMarks(row, x, top) {
  const found = Object.entries(row.alarms).filter(([, step]) => step !== null).sort((a, b) => a[1] - b[1]);
  return found.map(([alarm, step], place) => {
    const early = row.onset !== null && step < row.onset;
    return draw(
      "path",
      { d: "M0 0L-5.5-10H5.5Z", transform: `translate(${x(step)} ${top - 2 - (place % 3) * 11})`, fill: early ? "var(--bad)" : "var(--ink)", "data-part": "alarm", "data-tip": `${alarm}: step ${step}` },
    );
  });
}

function episodeFacts(row) {
  const alarms = Object.entries(row.alarms).map(([alarm, step]) => {
    const late = step === null ? "no alarm" : row.onset === null ? `step ${step}` : step < row.onset ? `step ${step}, before the fault` : `step ${step}, ${step - row.onset} after the onset`;
    return html("div", {}, html("dt", {}, alarm), html("dd", {}, late));
  });
  const facts = { onset: row.onset ?? "–", "effective onset": row.effective ?? "–", steps: row.length, return: row.return ?? "–" };
  const plain = Object.entries(facts).map(([label, value]) => html("div", {}, html("dt", {}, label), html("dd", {}, String(value))));
  return html("div", {}, html("dl", { class: "facts tight" }, ...plain), html("dl", { class: "facts tight" }, ...alarms));
}

export function startEpisodes() {
  if (!DATA.examples.rows.length) {
    put("viewer", html("p", { class: "note" }, "No episodes were recorded."));
    return;
  }
  for (const id of ["world", "split", "name", "number"]) byId(`episode-${id}`).addEventListener("change", () => refreshEpisode());
  byId("episode-log").addEventListener("change", () => refreshEpisode());
  const [world, split, name, number] = (fromAddress("episode") ?? "").split("\n");
  const first = DATA.examples.rows[DATA.examples.default];
  refreshEpisode(number ? { world, split, name, number } : { world: first.world, split: first.split, name: first.name, number: String(first.episode) });
}
