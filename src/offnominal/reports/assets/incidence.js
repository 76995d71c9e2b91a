// Detection over time: cumulative incidences of the chosen alarm and world, with the numbers at risk.

import { placeOf } from "./choice.js";
import { NOT_CONTROLLED, isBaseline } from "./detectors.js";
import { byId, chart, draw, html, put, ticks } from "./elements.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { detectorLegend, visible } from "./visible_detectors.js";

const FEW = 4;
const ROW = 18;

/** Draws the curves, and under them how many episodes are at risk at each tick. */
export function detectionOverTime() {
  const alarm = byId("alarm").value;
  const found = DATA.incidence?.alarms[alarm];
  if (!found) return put("incidence", html("p", { class: "note" }, "This run has no curves: it has no alarms, or was computed by an older version."));
  const curves = found[String(placeOf("world"))] ?? found["-1"];
  const lines = visible().filter((index) => curves[index]);
  const { steps, ticks: at } = DATA.incidence;
  const [left, right, top, bottom] = [170, 980, 14, 330];
  const last = steps.at(-1);
  const x = (step) => left + (step / last) * (right - left);
  const y = (share) => bottom - share * (bottom - top);
  const stairs = (index, place) => curves[index].map((point, number) => (number ? `H${x(steps[number])}V${y(point[place])}` : `M${x(steps[0])} ${y(point[place])}`)).join("");
  const band = (index) => `${curves[index].map((point, number) => `${number ? "L" : "M"}${x(steps[number])} ${y(point[2])}`).join("")}${[...curves[index].keys()].reverse().map((number) => `L${x(steps[number])} ${y(curves[index][number][1])}`).join("")}Z`;
  const own = (index) => DATA.colours[DATA.names[index]];
  const failed = lines.filter((index) => curves[index].at(-1)[3] > 0);
  const below = bottom + 76;
  const risk = lines.flatMap((index, row) => [
    draw("text", { x: left - 34, y: below + ROW * row, "text-anchor": "end" }, DATA.names[index]),
    ...at.map((tick) => draw("text", { class: "quiet", x: x(tick), y: below + ROW * row, "text-anchor": "middle" }, curves[index][steps.indexOf(tick)][4].toLocaleString("en"))),
  ]);
  put(
    "incidence",
    chart(`0 0 1000 ${below + ROW * lines.length}`, `Share of faults detected against the time since the onset, alarm ${alarm}`, [
      ...ticks(0, 1, 5).flatMap((tick) => [draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { class: "quiet", x: left - 9, y: y(tick) + 4, "text-anchor": "end" }, String(tick))]),
      ...at.map((tick) => draw("text", { class: "quiet", x: x(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick))),
      draw("text", { class: "quiet", x: (left + right) / 2, y: bottom + 38, "text-anchor": "middle" }, "steps since the onset"),
      draw("text", { class: "quiet", transform: `translate(${left - 60} ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "share of the faults"),
      ...(lines.length <= FEW ? lines.map((index) => draw("path", { d: band(index), fill: own(index), opacity: 0.13 })) : []),
      ...lines.map((index) => draw("path", { d: stairs(index, 0), fill: "none", stroke: own(index), "stroke-width": 2, "stroke-dasharray": isBaseline(DATA.names[index]) ? "5 4" : null, "data-tip": tipOf(index, curves[index]) })),
      ...failed.map((index) => draw("path", { d: stairs(index, 3), fill: "none", stroke: own(index), "stroke-width": 1.4, "stroke-dasharray": "1 3", "data-tip": `${DATA.names[index]}: ${shown(curves[index].at(-1)[3])} failed undetected` })),
      draw("text", { class: "quiet", x: left, y: below - 20 }, "at risk: episodes that have neither ended nor had an alarm"),
      ...risk,
    ]),
    detectorLegend(),
    html(
      "figcaption",
      {},
      `Cumulative incidence of detection by the alarm ${alarm}, mean over the faults and worlds.${failed.length ? " Dotted: episodes that failed undetected." : ""} ` +
        `Bands, means of pointwise 95 % intervals, are drawn for at most ${FEW} detectors: hide the others by the legend. The alarm is chosen above. Faults are those of the chosen world, of all kinds and levels. ${NOT_CONTROLLED}`,
    ),
  );
}

const tipOf = (index, curve) => `${DATA.names[index]}: ${shown(curve.at(-1)[0])} [${shown(curve.at(-1)[1])}, ${shown(curve.at(-1)[2])}] detected at the end`;
