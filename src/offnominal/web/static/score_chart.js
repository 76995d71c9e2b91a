// Score curves of several detectors on one scale: 0 is the nominal median, 1 the threshold.

import { freshContext, themeColour } from "./theme_colours.js";

/** @typedef {{ label: string, colour: string, points: [number, number][], faint?: boolean }} Series step and relative score */
/**
 * @typedef {object} View
 * @property {number} from first step
 * @property {number} to last step
 * @property {Series[]} series
 * @property {[number, number][]} shaded intervals of faults
 * @property {{ n: number, label: string, dashed?: boolean }[]} lines
 * @property {{ n: number, series: number }[]} alarms
 * @property {number} [cursor]
 * @property {number} top largest height, on the scale of `height`
 * @property {(n: number) => string} [step] label of a step
 */

const LEFT = 44;
const NARROW = 520;
const TOP = 22;
const BOTTOM = 24;
export const LOWEST = -0.6;

/**
 * Returns the space for names at the right; a narrow chart has a legend only.
 * @param {number} width
 */
export function rightMargin(width) {
  return width < NARROW ? 8 : 108;
}

/**
 * Returns where a relative score is drawn: linear up to the threshold, logarithmic above.
 * @param {number} relative
 */
export function height(relative) {
  if (relative <= 1) return Math.max(relative, LOWEST);
  return 1 + Math.log2(Math.min(relative, 1e6)) / 2;
}

/**
 * Returns the highest point of some series on the scale of `height`, within limits that keep the threshold visible.
 * @param {Series[]} series
 * @param {number} from
 */
export function highest(series, from) {
  let most = 1.35;
  for (const { points } of series)
    for (let k = points.length - 1; k >= 0 && points[k][0] >= from; k--) most = Math.max(most, height(points[k][1]) + 0.2);
  return Math.min(most, 6);
}

/**
 * Returns the step at a horizontal position of the chart.
 * @param {HTMLCanvasElement} canvas
 * @param {View} view
 * @param {number} x in CSS pixels
 */
export function stepAt(canvas, view, x) {
  const share = (x - LEFT) / (canvas.clientWidth - LEFT - rightMargin(canvas.clientWidth));
  return view.from + Math.min(Math.max(share, 0), 1) * (view.to - view.from);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {View} view
 */
export function drawScores(canvas, view) {
  const { context, width, height: tall } = freshContext(canvas);
  const right = rightMargin(width);
  const x = (/** @type {number} */ n) => LEFT + ((n - view.from) / (view.to - view.from)) * (width - LEFT - right);
  const y = (/** @type {number} */ h) => TOP + ((view.top - h) / (view.top - LOWEST)) * (tall - TOP - BOTTOM);
  const inside = { left: LEFT, right: width - right, top: TOP, bottom: tall - BOTTOM };
  drawShades(context, view, x, inside);
  drawScale(context, view, y, inside);
  drawLines(context, view, x, inside);
  context.save();
  context.beginPath();
  context.rect(inside.left, 0, inside.right - inside.left + 1, tall);
  context.clip();
  for (const each of view.series) drawCurve(context, each, x, y, view.from);
  for (const alarm of view.alarms) drawAlarm(context, view.series[alarm.series], alarm.n, x, y, view.top);
  if (view.cursor !== undefined) drawCursor(context, view, x, y, inside);
  context.restore();
  if (width >= NARROW) drawLabels(context, view, y, inside);
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Inside */

/** @param {CanvasRenderingContext2D} context @param {View} view @param {(n: number) => number} x @param {Inside} inside */
function drawShades(context, view, x, inside) {
  context.fillStyle = themeColour("--fault");
  for (const [from, to] of view.shaded) {
    const left = Math.max(x(from), inside.left);
    const right = Math.min(x(to), inside.right);
    if (right > left) context.fillRect(left, inside.top, right - left, inside.bottom - inside.top);
  }
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {(h: number) => number} y @param {Inside} inside */
function drawScale(context, view, y, inside) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const tick of [0, 0.5, 1, 4, 16, 64, 256, 1024]) {
    if (height(tick) > view.top) break;
    const at = Math.round(y(height(tick))) + 0.5;
    const isThreshold = tick === 1;
    context.strokeStyle = themeColour(isThreshold ? "--bad" : "--rule");
    context.setLineDash(isThreshold ? [6, 4] : []);
    context.lineWidth = isThreshold ? 1.5 : 1;
    context.beginPath();
    context.moveTo(inside.left, at);
    context.lineTo(inside.right, at);
    context.stroke();
    context.fillStyle = themeColour(isThreshold ? "--bad" : "--soft");
    context.fillText(String(tick), inside.left - 8, at);
  }
  context.setLineDash([]);
  context.textAlign = "left";
  context.fillStyle = themeColour("--bad");
  context.fillText("threshold", inside.left + 6, y(1) - 9);
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {(n: number) => number} x @param {Inside} inside */
function drawLines(context, view, x, inside) {
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  for (const line of view.lines) {
    const at = Math.round(x(line.n)) + 0.5;
    if (at < inside.left || at > inside.right) continue;
    context.strokeStyle = themeColour("--rule-strong");
    context.setLineDash(line.dashed ? [2, 4] : []);
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(at, inside.top - 4);
    context.lineTo(at, inside.bottom);
    context.stroke();
    context.fillStyle = themeColour("--soft");
    if (at < inside.right - 30) context.fillText(line.label, at + 4, inside.top - 10);
  }
  context.setLineDash([]);
  context.textAlign = "center";
  context.fillStyle = themeColour("--soft");
  const step = view.step ?? String;
  for (let share = 0; share <= 1; share += 0.25) {
    const n = Math.round(view.from + share * (view.to - view.from));
    if (n >= 0) context.fillText(step(n), inside.left + share * (inside.right - inside.left), inside.bottom + 14);
  }
}

/** @param {CanvasRenderingContext2D} context @param {Series} series @param {(n: number) => number} x @param {(h: number) => number} y @param {number} from */
function drawCurve(context, series, x, y, from) {
  context.strokeStyle = series.colour;
  context.lineWidth = series.faint ? 1 : 2;
  context.globalAlpha = series.faint ? 0.55 : 1;
  context.setLineDash(series.faint ? [3, 3] : []);
  context.lineJoin = "round";
  context.beginPath();
  let before = -Infinity;
  for (const [n, relative] of series.points) {
    if (n < from - 2) continue;
    const [px, py] = [x(n), y(height(relative))];
    if (n - before > 3) context.moveTo(px, py);
    else context.lineTo(px, py);
    before = n;
  }
  context.stroke();
  context.globalAlpha = 1;
  context.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} context @param {Series} series @param {number} n @param {(n: number) => number} x @param {(h: number) => number} y @param {number} top */
function drawAlarm(context, series, n, x, y, top) {
  const point = series.points.find(([step]) => step === n);
  if (!point) return;
  context.fillStyle = series.colour;
  context.strokeStyle = themeColour("--card");
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x(n), Math.max(y(height(point[1])), y(top) + 6), 6, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
}

/** @param {CanvasRenderingContext2D} context @param {View} view @param {(n: number) => number} x @param {(h: number) => number} y @param {Inside} inside */
function drawCursor(context, view, x, y, inside) {
  const at = Math.round(x(/** @type {number} */ (view.cursor))) + 0.5;
  context.strokeStyle = themeColour("--ink");
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(at, inside.top - 4);
  context.lineTo(at, inside.bottom);
  context.stroke();
  for (const series of view.series) {
    const point = series.points.find(([n]) => n === view.cursor);
    if (!point || series.faint) continue;
    context.fillStyle = series.colour;
    context.beginPath();
    context.arc(at, y(height(point[1])), 4, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * Writes the name of each detector beside the end of its curve, moved apart where they would overlap.
 * @param {CanvasRenderingContext2D} context @param {View} view @param {(h: number) => number} y @param {Inside} inside
 */
function drawLabels(context, view, y, inside) {
  const ends = view.series
    .filter(({ points, faint }) => points.length && !faint)
    .map((series) => ({ series, at: y(height(/** @type {[number, number]} */ (series.points.at(-1))[1])) }))
    .sort((a, b) => a.at - b.at);
  for (let k = 1; k < ends.length; k++) ends[k].at = Math.max(ends[k].at, ends[k - 1].at + 14);
  const over = ends.length ? ends[ends.length - 1].at - inside.bottom : 0;
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "left";
  ends.forEach(({ series, at }, k) => {
    const line = over > 0 ? Math.min(at, inside.bottom - 14 * (ends.length - 1 - k)) : at;
    context.fillStyle = series.colour;
    context.fillRect(inside.right + 6, line - 4, 8, 8);
    context.fillStyle = themeColour("--ink");
    context.fillText(series.label, inside.right + 18, line, 88);
  });
}
