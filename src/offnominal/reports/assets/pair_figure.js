// Two detectors: a point per fault, and a bar of wins, ties and losses.

import { withUnit } from "./detectors.js";
import { chart, draw, html, ticks } from "./elements.js";

/** Shapes of marks, so that they differ without their colours. */
export const SHAPES = ["M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0Z", "M-4.6-4.6H4.6V4.6H-4.6Z", "M0-5.8L5.6 4.4H-5.6Z", "M0-6L6 0L0 6L-6 0Z", "M0 5.8L5.6-4.4H-5.6Z", "M-6-2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z", "M-5.6-3L-3-5.6L0-2.6L3-5.6L5.6-3L2.6 0L5.6 3L3 5.6L0 2.6L-3 5.6L-5.6 3L-2.6 0Z", "M0-6.6L1.6-2.1L6.3-2L2.5 .8L3.9 5.4L0 2.7L-3.9 5.4L-2.5 .8L-6.3-2L-1.6-2.1Z"];
const SHAPE_OF = { win: 0, tie: 3, loss: 1 };

/** Returns the sign of a shape, and its text. */
export const legendMark = (shape, colour, text, hollow = false) => [draw("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" }, draw("path", { d: SHAPES[shape % SHAPES.length], fill: hollow ? "none" : colour, stroke: colour, "stroke-width": 1.6 })), text];

/**
 * Returns the legend of wins, ties and losses.
 * @param {Record<string, string>} texts by outcome
 * @param {Record<string, string>} colours by outcome
 */
export function outcomeLegend(texts, colours) {
  return html("ul", { class: "legend" }, Object.entries(texts).map(([outcome, text]) => html("li", {}, legendMark(SHAPE_OF[outcome], colours[outcome], text, outcome === "tie"))));
}

/** Returns a bar of the shares of wins, ties and losses. */
export function outcomeBar([wins, ties, losses], colours) {
  const total = wins + ties + losses || 1;
  const parts = [[wins, colours.win], [ties, colours.tie], [losses, colours.loss]];
  return html("span", { class: "outcomes", "aria-hidden": "true" }, parts.map(([count, colour]) => html("i", { "--tone": colour, "--part": count / total })));
}

/**
 * Returns the scatter plot of two detectors, the first upwards.
 * @param {import("./detectors.js").Metric} metric
 * @param {[string, string]} names
 * @param {{ one: number, other: number, outcome: string, tip: string, href?: string, attributes?: Record<string, any> }[]} points
 *   values of the two, `win`, `tie`, `loss` or nothing, text, target of a link, and further attributes of the mark
 * @param {Record<string, string>} colours by outcome
 */
export function pairScatter(metric, [first, second], points, colours) {
  const [left, right, top, bottom] = [64, 500, 12, 448];
  const all = points.flatMap(({ one, other }) => [one, other]);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const pad = 0.05 * (most - least) || 0.05;
  const [low, high] = [least - pad, most + pad];
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const [above, below] = metric.higher ? [first, second] : [second, first];
  const marks = points.map(({ one, other, outcome, tip, href, attributes }) => {
    const colour = colours[outcome] ?? "var(--faint)";
    const look = { d: SHAPES[SHAPE_OF[outcome] ?? SHAPE_OF.tie], transform: `translate(${x(other)} ${y(one)})`, fill: colour, "fill-opacity": outcome === "win" || outcome === "loss" ? 1 : 0, stroke: colour, "stroke-width": 1.4, ...attributes };
    return href ? draw("a", { href, "aria-label": tip, "data-tip": tip }, draw("path", look)) : draw("path", { ...look, "data-tip": tip });
  });
  const parts = [
    ...ticks(low, high, 5).flatMap((tick) => [
      draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
      draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      draw("text", { class: "quiet", x: x(tick), y: bottom + 17, "text-anchor": "middle" }, String(tick)),
      draw("text", { class: "quiet", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)),
    ]),
    draw("line", { class: "random", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
    draw("text", { class: "quiet", x: left + 10, y: top + 18 }, `${above} better`),
    draw("text", { class: "quiet", x: right - 8, y: bottom - 10, "text-anchor": "end" }, `${below} better`),
    draw("text", { x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, `${second}: ${withUnit(metric)}`),
    draw("text", { transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `${first}: ${withUnit(metric)}`),
    ...marks,
  ];
  return chart("0 0 520 500", `${metric.label} of ${first} against ${second}, one point per fault`, parts);
}
