// Elements and numbers: what every page is made of.

import { shown as shownNumber } from "./rounding.js";

/** @typedef {string | number | boolean | null | undefined | ((event: Event) => void)} Value */
/** @typedef {Node | string | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

export const shown = shownNumber;

/**
 * Sets attributes, style variables (`--name`) and listeners (`onclick`), and appends children.
 * @template {Element} E
 * @param {E} node
 * @param {Record<string, Value>} attributes
 * @param {(Child | Child[])[]} children
 * @returns {E}
 */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) /** @type {any} */ (node).style.setProperty(name, String(value));
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  const present = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  node.append(.../** @type {(Node | string)[]} */ (present));
  return node;
}

/**
 * @param {string} tag
 * @param {Record<string, Value>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @param {string} tag
 * @param {Record<string, Value>} [attributes]
 * @param {...(Child | Child[])} children
 */
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

/**
 * @param {string} id
 * @param {...Child} children
 */
export function put(id, ...children) {
  byId(id).replaceChildren(...children.filter(Boolean));
}

/**
 * Fills a select element.
 * @param {HTMLSelectElement} select
 * @param {[string, string][]} entries values and texts
 * @param {string} chosen
 */
export function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => html("option", { value }, text)));
  select.value = chosen;
}

/**
 * Returns round numbers between two ends.
 * @param {number} low
 * @param {number} high
 * @param {number} [count]
 */
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * (1 - 1e-9));
  const found = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) found.push(+tick.toFixed(10));
  return found;
}
