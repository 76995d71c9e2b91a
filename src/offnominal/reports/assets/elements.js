// Elements and numbers: what every page is made of.

const SVG = "http://www.w3.org/2000/svg";

// Sets attributes, style variables (`--name`) and listeners (`onclick`), and appends children.
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, String(value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

const present = (children) => children.flat().filter((child) => child !== null && child !== undefined && child !== false);

/**
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} [attributes]
 * @param {...any} children nodes, texts and lists of them; null, undefined and false are left out
 */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** As `html`, for elements of a drawing. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Returns the element with an id; a page that has none is a defect.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element #${id}`);
  return found;
}

/** Replaces what an element holds. */
export function put(id, ...children) {
  byId(id).replaceChildren(...present(children));
}

/**
 * Fills a select element.
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} entries values and texts
 * @param {string} chosen
 */
export function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => html("option", { value, selected: value === chosen }, text)));
  select.value = chosen;
}

/** Returns a drawing. If its marks have texts and are no links, it is one stop of the keyboard; see tips.js. */
export function chart(viewBox, label, parts) {
  const linked = parts.some((part) => part?.localName === "a");
  const marked = !linked && parts.some((part) => part?.dataset?.tip);
  return draw("svg", { viewBox, role: linked ? "group" : "img", "aria-label": label + (marked ? ". Arrow keys read the marks." : ""), tabindex: marked ? "0" : null }, ...parts);
}

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** Returns the mean of the numbers that are known, or null. */
export function mean(values) {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

/** Returns round numbers between two ends. */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  const found = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) found.push(+tick.toFixed(10));
  return found;
}
