// Observation channels over time: one row each, coloured by the distance from the nominal mean.

import { rightMargin } from "./score_chart.js";
import { freshContext } from "./theme_colours.js";

const LEFT = 44;

/**
 * Returns a colour for a number of standard deviations: blue below the mean, orange above.
 * @param {number} deviations
 */
function shade(deviations) {
  const share = Math.min(Math.abs(deviations) / 6, 1);
  return deviations < 0 ? `rgb(31 118 173 / ${share})` : `rgb(213 94 0 / ${share})`;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{ n: number, deviations: number[] }[]} steps
 * @param {number} from
 * @param {number} to
 */
export function drawChannels(canvas, steps, from, to) {
  const { context, width, height } = freshContext(canvas);
  if (!steps.length) return;
  const rows = steps[0].deviations.length;
  const tall = height / rows;
  const wide = (width - LEFT - rightMargin(width)) / (to - from);
  for (const { n, deviations } of steps) {
    if (n < from - 1) continue;
    const x = Math.max(LEFT + (n - from) * wide, LEFT);
    deviations.forEach((value, row) => {
      if (Math.abs(value) < 0.5) return;
      context.fillStyle = shade(value);
      context.fillRect(x, row * tall, wide + 0.6, Math.max(tall - 0.5, 0.8));
    });
  }
}
