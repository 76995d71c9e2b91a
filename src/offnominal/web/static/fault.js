// One fault: strengths, clip, all detectors, delay curves.

import { fromAddress, toAddress } from "./address.js";
import { fillMetrics, metricInAddress, metricNow } from "./choice.js";
import { detectorCell, digitsOf, isBaseline, withInterval, withUnit } from "./detectors.js";
import { byId, draw, html, options, put, ticks } from "./elements.js";
import { link } from "./page.js";
import { DATA } from "./page_data.js";
import { sortable } from "./table.js";
import { alarmInAddress, fillAlarms, percentage, timingCells, timingColumns, timingNumbers } from "./timing_table.js";

const SHOWN_CURVES = 6;

const variantNow = () => Number(byId("strength").value);

function paint() {
  strengths();
  clip();
  detectors();
  curves();
  episode();
}

function strengths() {
  const { symbol, unit } = DATA.about;
  const most = Math.max(...DATA.strengths.flatMap((row) => [row.lost?.[2] ?? 0, row.lost_random?.[2] ?? 0]), 0.05);
  const now = DATA.variants[variantNow()];
  const rows = DATA.strengths.map((row, place) => ({
    keys: [place, row.parameter, row.lost?.[0], null, row.lost_random?.[0], row.signal],
    node: html(
      "tr",
      { class: row.name === now ? "leader" : null },
      html("th", { scope: "row" }, row.name, row.attainable ? null : html("span", { class: "tag", title: row.note }, "not attained")),
      html("td", {}, `${Number(row.parameter.toPrecision(4))}`),
      html("td", {}, lost(row.lost)),
      html("td", { class: "graph narrow" }, row.lost ? lostBar(row.lost, most) : null),
      html("td", {}, lost(row.lost_random)),
      html("td", {}, row.signal == null ? "–" : `${Number(row.signal.toPrecision(3))}`),
    ),
  }));
  const parameter = symbol ? `${symbol}${unit && unit !== "1" ? `, ${unit}` : ""}` : "parameter";
  const labels = ["Strength", parameter, "Lost from the start", "", "Lost, random onset", "Change, nominal SD"];
  if (rows.length) sortable(byId("strengths"), labels.map((label, place) => ({ label, sort: place !== 3, className: place === 0 ? "left" : place === 3 ? "graph" : undefined })), rows);
}

function lost(numbers) {
  return numbers ? [percentage(numbers[0]), html("span", { class: "interval" }, ` [${percentage(numbers[1])}, ${percentage(numbers[2])}]`)] : "–";
}

function lostBar([value, low, high], most) {
  const x = (share) => (180 * Math.max(share, 0)) / most;
  return draw(
    "svg",
    { viewBox: "0 0 184 22", role: "img", "aria-label": `${percentage(value)} of the return lost` },
    draw("rect", { x: 0, y: 6, width: x(value), height: 10, rx: 2, fill: "var(--bad)", "fill-opacity": 0.75 }),
    draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: "var(--ink)", "stroke-width": 1.5 }),
  );
}

function clip() {
  const variant = DATA.variants[variantNow()];
  const { root } = document.documentElement.dataset;
  const image = html("img", { class: "clip", alt: `Nominal twin and faulty episode side by side: ${DATA.anomaly}, ${variant}, in ${DATA.world}` });
  const note = html("p", { class: "note", role: "status" }, "The clip is being made…");
  image.hidden = true;
  image.addEventListener("load", () => {
    image.hidden = false;
    note.remove();
  });
  image.addEventListener("error", () => (note.textContent = "There is no clip: this world cannot be simulated or drawn again."));
  const show = () => image.setAttribute("src", `${root}clips/${encodeURIComponent(DATA.id)}/${encodeURIComponent(DATA.fault)}/${DATA.clips[variantNow()]}.webp`);
  const replay = link("replay", { world: DATA.world_id, fault: DATA.anomaly, strength: variant, seed: String(DATA.seeds[variantNow()]) });
  const caption = html(
    "figcaption",
    {},
    `Left: nominal twin. Right: the same seed with the fault (${variant}); the frame is red while it is active. `,
    DATA.static ? null : html("a", { href: replay }, "Replay this episode"),
  );
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    note.replaceChildren(html("button", { type: "button", onclick: show }, "Play the clip"));
  } else show();
  put("clip", image, note, caption);
}

function detectors() {
  const metric = metricNow();
  const variant = variantNow();
  const alarm = byId("alarm").value;
  byId("meaning").textContent = `${withUnit(metric)}: ${metric.meaning}`;
  const rows = DATA.names.map((name, index) => {
    const cell = DATA.numbers[metric.name][variant][index];
    const found = alarm ? DATA.timing.alarms[alarm][variant][index] : null;
    const timing = found ? timingNumbers(found) : DATA.timing.columns.map(() => null);
    const keys = DATA.cells[name] ?? [];
    const number = cell ? withInterval(...cell, digitsOf(metric)) : ["–"];
    const links = keys.slice(1).map(([key, seed]) => html("a", { class: "seed", href: link(`cells/${key}`), title: `cell of seed ${seed}` }, String(seed)));
    return {
      keys: [name, cell?.[0], ...timing],
      node: html(
        "tr",
        {},
        detectorCell(name),
        html("td", {}, keys.length ? html("a", { class: "number", href: link(`cells/${keys[0][0]}`) }, ...number) : number, ...links),
        timingCells(timing),
      ),
    };
  });
  sortable(
    byId("detectors"),
    [{ label: "Detector", className: "left" }, { label: withUnit(metric), down: metric.higher, tip: metric.meaning }, ...timingColumns()],
    rows,
    { column: 1, up: !metric.higher },
  );
}

function curves() {
  const alarm = byId("alarm").value;
  byId("delays").hidden = !alarm;
  if (!alarm) return;
  const variant = variantNow();
  const found = DATA.names.map((name) => [name, DATA.curves[name]?.[variant]?.[alarm]]).filter(([, curve]) => curve);
  if (found.length) put("curve", ...curveFigure(found));
  else put("curve", html("p", { class: "note" }, DATA.static ? "No curve was computed for this export." : "No curve has been computed yet."));
  const open = DATA.names.filter((name) => DATA.cells[name] && !DATA.curves[name]);
  put(
    "more-curves",
    ...(DATA.static ? [] : open.map((name) => html("button", { type: "button", onclick: () => compute([name]) }, `${name}, about ${Math.max(1, Math.round(DATA.seconds[name]))} s`))),
  );
}

function curveFigure(found) {
  const [left, right, top, bottom] = [52, 800, 14, 320];
  const last = Math.max(...found.map(([, curve]) => curve.detected.length - 1), 5);
  const x = (step) => left + (step / last) * (right - left);
  const y = (share) => bottom - share * (bottom - top);
  const path = (values) => values.map((value, step) => `${step ? `H${x(step).toFixed(1)}V${y(value).toFixed(1)}` : `M${x(0)} ${y(value).toFixed(1)}`}`).join("");
  const ordered = [...found].sort((a, b) => b[1].detected.at(-1) - a[1].detected.at(-1));
  let lowest = -Infinity;
  const labels = ordered.map(([name, curve]) => {
    const end = x(curve.detected.length - 1);
    const at = Math.max(y(curve.detected.at(-1) ?? 0) + 4, lowest + 15);
    lowest = at;
    return [
      draw("line", { x1: end, x2: right + 6, y1: y(curve.detected.at(-1) ?? 0), y2: at - 4, stroke: DATA.colours[name], "stroke-width": 0.7, "stroke-dasharray": "2 3" }),
      draw("text", { x: right + 10, y: at }, name),
      draw("circle", { cx: end, cy: y(curve.detected.at(-1) ?? 0), r: 3, fill: DATA.colours[name] }),
    ];
  });
  const bands = found.length <= 3 ? found.map(([name, curve]) => draw("path", { d: bandPath(curve, x, y), fill: DATA.colours[name], "fill-opacity": 0.13 })) : [];
  const lines = found.map(([name, curve]) => draw("path", { d: path(curve.detected), fill: "none", stroke: DATA.colours[name], "stroke-width": isBaseline(name) ? 1.3 : 2.2, "stroke-dasharray": isBaseline(name) ? "5 4" : null }, draw("title", {}, name)));
  const failures = found.filter(([, curve]) => curve.failed.at(-1) > 0).map(([name, curve]) => draw("path", { d: path(curve.failed), fill: "none", stroke: DATA.colours[name], "stroke-width": 1.4, "stroke-dasharray": "1 3" }, draw("title", {}, `${name}: failed undetected`)));
  const [episodes] = found.map(([, curve]) => curve.episodes);
  const steps = ticks(0, last, 8);
  const below = bottom + 72;
  const risk = found.flatMap(([name, curve], row) => [
    draw("text", { class: "quiet", x: right + 10, y: below + 17 * row }, name),
    ...steps.map((tick) => draw("text", { class: "quiet", x: x(tick), y: below + 17 * row, "text-anchor": "middle" }, String(curve.at_risk[tick] ?? 0))),
  ]);
  return [
    draw(
      "svg",
      { viewBox: `0 0 1000 ${below + 17 * found.length}`, role: "img", "aria-label": `Share of faults detected against delay for ${found.map(([name]) => name).join(", ")}` },
      ...[0, 0.25, 0.5, 0.75, 1].flatMap((tick) => [draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { class: "quiet", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, `${100 * tick} %`)]),
      ...steps.map((tick) => draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick))),
      draw("text", { class: "quiet", x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, "steps since the onset"),
      draw("text", { class: "quiet", x: left, y: below - 17 }, "at risk: episodes that have neither ended nor had an alarm"),
      ...risk,
      ...bands,
      ...lines,
      ...failures,
      ...labels.flat(),
    ),
    html("figcaption", {}, `${episodes} episodes of ${DATA.splits[variantNow()]}, alarm “${byId("alarm").value}”, first training seed.${bands.length ? " Bands: pointwise 95 %." : ""} Dashed: baselines.${failures.length ? " Dotted: failed undetected." : ""}`),
  ];
}

function bandPath(curve, x, y) {
  const up = curve.high.map((value, step) => `${step ? "L" : "M"}${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const down = curve.low.map((value, step) => `L${x(step).toFixed(1)} ${y(value).toFixed(1)}`).reverse().join("");
  return `${up}${down}Z`;
}

/** Asks the server for the curves of detectors, one after the other. */
async function compute(names) {
  const status = byId("curve-status");
  for (const name of names) {
    status.textContent = `${name} is fitted again…`;
    try {
      const answer = await fetch(`${document.documentElement.dataset.root}curves/${DATA.cells[name][0][0]}.json`);
      if (!answer.ok) throw new Error(String(answer.status));
      const stored = await answer.json();
      DATA.curves[name] = DATA.splits.map((split) => stored[split]);
      status.textContent = "";
    } catch {
      status.textContent = `The curve of ${name} cannot be computed: its data or its detector is not available here.`;
    }
    curves();
  }
}

/** Scores of all detectors on one recorded episode. */
function episode() {
  const found = DATA.episodes[variantNow()];
  byId("episode").hidden = !found;
  if (!found) return;
  const names = DATA.names.filter((name) => found.detectors[name]);
  put("episode-curves", ...names.map((name) => episodeFigure(name, found.detectors[name], found)));
  byId("episode-note").textContent = `Seed ${found.seed}, onset at step ${found.onset}${found.effective === null || found.effective === found.onset ? "" : `, first effect at step ${found.effective}`}.`;
}

function episodeFigure(name, { scores, twin, thresholds, alarms }, found) {
  const [left, right, top, bottom] = [4, 356, 16, 106];
  const alarm = byId("alarm").value;
  const limit = thresholds[alarm] ?? null;
  const values = [...scores, ...twin].map(([, value]) => value).concat(limit ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (step) => left + (step / (found.length - 1 || 1)) * (right - left);
  const y = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
  const path = (points) => points.map(([step, value], place) => `${place ? "L" : "M"}${Math.min(x(step), right).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const end = Math.min(found.end ?? found.length, found.length) - 1;
  const first = alarms[alarm] ?? null;
  const said = first === null ? "no alarm" : first < found.onset ? `alarm at step ${first}, before the fault` : `alarm ${first - found.onset} steps after the onset`;
  return html(
    "figure",
    { class: "small" },
    draw(
      "svg",
      { viewBox: "0 0 360 112", role: "img", "aria-label": `Scores of ${name}: ${said}` },
      draw("rect", { x: x(found.onset), y: top, width: Math.max(x(end) - x(found.onset), 1), height: bottom - top, fill: "var(--fault)" }),
      draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
      twin.length ? draw("path", { d: path(twin), fill: "none", stroke: "var(--twin)", "stroke-width": 1.1 }) : null,
      draw("path", { d: path(scores), fill: "none", stroke: DATA.colours[name], "stroke-width": 1.7 }),
      limit === null ? null : draw("line", { x1: left, x2: right, y1: y(limit), y2: y(limit), stroke: "var(--ink)", "stroke-dasharray": "5 4" }),
      first === null ? null : draw("path", { d: "M0 0L-5-9H5Z", transform: `translate(${x(first)} ${top - 2})`, fill: first < found.onset ? "var(--bad)" : "var(--ink)" }),
    ),
    html("figcaption", {}, html("strong", {}, name), `: ${said}`),
  );
}

function start() {
  const wanted = fromAddress("strength");
  const place = DATA.variants.indexOf(wanted);
  options(byId("strength"), DATA.variants.map((variant, number) => [String(number), variant]), String(place >= 0 ? place : DATA.variants.length - 1));
  fillMetrics();
  fillAlarms();
  for (const id of ["strength", "metric", "alarm"])
    byId(id).addEventListener("change", () => {
      toAddress({ strength: DATA.variants[variantNow()], metric: metricInAddress(), alarm: alarmInAddress() });
      paint();
    });
  for (const id of ["world", "other"]) byId(id).addEventListener("change", () => location.assign(byId(id).value));
}

start();
paint();
if (!DATA.static && byId("alarm").value) {
  const cheap = DATA.names.filter((name) => DATA.cells[name] && !DATA.curves[name] && !isBaseline(name) && DATA.seconds[name] <= DATA.cheap);
  compute(cheap.slice(0, SHOWN_CURVES));
}
