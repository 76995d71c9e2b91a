// Colours of the style sheet for canvases, which know no CSS variables.

/** @type {Map<string, string>} */
const known = new Map();
const forget = () => known.clear();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
new MutationObserver(forget).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });

/**
 * Returns the value of a CSS variable in the current theme.
 * @param {string} name such as "--ink"
 */
export function themeColour(name) {
  const cached = known.get(name);
  if (cached) return cached;
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  probe.style.display = "none";
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  known.set(name, found);
  return found;
}

/**
 * Returns the drawing context of a canvas with the resolution of the screen, cleared, and its size in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 */
export function freshContext(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
