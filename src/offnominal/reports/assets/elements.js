// Elements, numbers and colours: what every part of the page is made of.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) node.style.setProperty(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

function put(id, ...children) {
  byId(id).replaceChildren(...children.flat().filter(Boolean));
}

const digitsOf = (metric) => (metric.unit ? 1 : 3);
const withUnit = (metric) => metric.label + (metric.unit ? ` (${metric.unit})` : "");
const mean = (values) => (values.length ? values.reduce((a, b) => a + b, 0) / values.length : null);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

function quantile(sorted, share) {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const found = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9; tick += step) found.push(+tick.toFixed(10));
  return found;
}

function compareKeys(a, b, up) {
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  const less = typeof a === "string" ? a.localeCompare(b) : a - b;
  return up ? less : -less;
}

// A figure whose marks have texts is one stop of the keyboard; see tips.js.
function chart(viewBox, label, parts) {
  const marked = parts.some((part) => part?.dataset?.tip);
  return draw("svg", { viewBox, role: "img", "aria-label": label + (marked ? ". Arrow keys read the marks." : ""), tabindex: marked ? "0" : null }, ...parts);
}

const isBaseline = (name) => DATA.baselines.includes(name);

function detectorCell(name, tag = "th") {
  return html(
    tag,
    { scope: tag === "th" ? "row" : null, class: isBaseline(name) ? "baseline left" : "left", "data-text": name, "--own": DATA.colours[name] },
    html("span", { class: "dot", "aria-hidden": "true" }),
    name,
    ...(isBaseline(name) ? [" ", html("span", { class: "tag" }, "baseline")] : []),
  );
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, text]) => html("option", { value, selected: value === chosen }, text)));
  select.value = chosen;
}
