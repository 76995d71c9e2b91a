// Files that the browser makes from the page: tables as CSV and LaTeX, figures as PNG and SVG, the manifest.

import { byId, draw, html } from "./elements.js";

const FILES = JSON.parse(byId("files").textContent);
const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

function save(name, content, type) {
  const link = html("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: `${FILES.study || "study"}-${name}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// As on disk: text that a spreadsheet would take for a formula begins with an apostrophe.
function csvCell(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const formula = typeof value === "string" && /^(\s*[=+@-]|[\t\r])/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
  const safe = formula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csvText = ({ header, rows }) => `${[header, ...rows].map((row) => row.map(csvCell).join(",")).join("\n")}\n`;

function latexText({ header, rows, title }) {
  const cell = (value) => [...String(value ?? "–").replace(/\s+/g, " ")].map((letter) => FILES.latex[letter] ?? letter).join("").replace(/^[[*]/, "{$&}");
  const line = (row) => `    ${row.map(cell).join(" & ")} \\\\`;
  const sides = header.map((_, place) => (place ? "r" : "l")).join("");
  const body = [line(header), "    \\midrule", ...rows.map(line)].join("\n");
  return `\\begin{table}\n  \\centering\n  \\caption{${cell(title)}}\n  \\begin{tabular}{${sides}}\n    \\toprule\n${body}\n    \\bottomrule\n  \\end{tabular}\n\\end{table}\n`;
}

// The table as it is shown, without its columns of graphs.
function shownTable(table) {
  const heads = [...table.tHead.rows[0].children];
  const kept = (cells) => [...cells].filter((_, place) => !heads[place].classList.contains("graph"));
  const texts = (row) => kept(row.children).map((cell) => (cell.dataset.text ?? cell.innerText ?? cell.textContent).replace(/\s+/g, " ").trim());
  const title = table.dataset.title ?? table.caption?.textContent ?? table.closest("section")?.querySelector("h2")?.textContent ?? "";
  const header = kept(heads).map((cell) => cell.dataset.text ?? cell.textContent.trim());
  return { title, header, rows: [...table.tBodies[0].rows].filter((row) => !row.hidden).map(texts) };
}

// Files are for white paper, whatever the colours of the page.
function inLight(make) {
  const root = document.documentElement;
  const before = root.dataset.theme;
  root.dataset.theme = "light";
  try {
    return make();
  } finally {
    if (before === undefined) delete root.dataset.theme;
    else root.dataset.theme = before;
  }
}

const LEGEND = { row: 20, edge: 10, mark: 18, gap: 16, size: 12 };

// The entries of the legends of a figure that are not hidden, in rows below it.
function legendMarks(figure, { x, y, width, height }) {
  const font = getComputedStyle(figure).fontFamily;
  const ruler = html("canvas", {}).getContext("2d");
  ruler.font = `${LEGEND.size}px ${font}`;
  let [left, line] = [LEGEND.edge, 0];
  const entries = [...figure.querySelectorAll(":scope > .legend li")].filter((entry) => !entry.querySelector('[aria-pressed="false"]'));
  const marks = entries.flatMap((entry) => {
    const text = entry.textContent.trim();
    const wide = LEGEND.mark + ruler.measureText(text).width + LEGEND.gap;
    if (left > LEGEND.edge && left + wide > width) [left, line] = [LEGEND.edge, line + 1];
    const [at, middle] = [x + left, y + height + LEGEND.row * (line + 0.5)];
    left += wide;
    const label = draw("text", { x: at + LEGEND.mark, y: middle + 4, fill: getComputedStyle(entry).color, "font-family": font, "font-size": `${LEGEND.size}px` }, text);
    return [legendSign(entry, at + 6, middle), label];
  });
  return { marks, height: marks.length ? LEGEND.row * (line + 1.5) : 0 };
}

function legendSign(entry, cx, cy) {
  const shape = entry.querySelector("svg path");
  if (shape) {
    const { fill, stroke } = getComputedStyle(shape);
    return draw("path", { d: shape.getAttribute("d"), transform: `translate(${cx} ${cy})`, fill, stroke, "stroke-width": 1.6 });
  }
  const colour = getComputedStyle(entry.querySelector(".dot")).getPropertyValue("--own");
  return draw("circle", { cx, cy, r: 4.5, fill: entry.querySelector(".baseline") ? "none" : colour, stroke: colour, "stroke-width": 2 });
}

function standalone(figure) {
  const svg = figure.querySelector(":scope > svg");
  const copy = svg.cloneNode(true);
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((node, place) => {
    const style = getComputedStyle(node);
    for (const name of STYLED) to[place].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "data-tip"]) to[place].removeAttribute(name);
  });
  const { x, y, width, height: drawn } = svg.viewBox.baseVal;
  const legend = legendMarks(figure, { x, y, width, height: drawn });
  const height = drawn + legend.height;
  copy.setAttribute("xmlns", svg.namespaceURI);
  copy.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(draw("rect", { x, y, width, height, fill: "#fff" }));
  copy.append(...legend.marks);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function savePng(name, figure) {
  const { text, width, height } = inLight(() => standalone(figure));
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${name}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

const saveSvg = (name, figure) => save(`${name}.svg`, inLight(() => standalone(figure)).text, "image/svg+xml");

const tool = (text, about, onclick) => html("button", { type: "button", "aria-label": `Save ${about} as ${text}`, onclick }, text);

function figureTools(figure) {
  const name = figure.id || figure.querySelector("img").dataset.name;
  const drawn = () => figure.querySelector(":scope > svg");
  const image = figure.querySelector("img");
  const picture = async () => save(`${name}.png`, await (await fetch(image.src)).blob());
  const buttons = image ? [tool("PNG", name, picture)] : [tool("PNG", name, () => drawn() && savePng(name, figure)), tool("SVG", name, () => drawn() && saveSvg(name, figure))];
  figure.after(html("div", { class: "tools" }, ...buttons));
}

// The table is looked up when it is saved: a new choice may have drawn another one.
function tableTools(region) {
  const table = () => region.querySelector("table");
  const name = table().dataset.name ?? table().id;
  const file = FILES.tables[region.closest("section")?.id];
  const buttons = [
    tool("CSV", name, () => save(`${name}.csv`, file ?? csvText(table().exported ?? shownTable(table())), "text/csv")),
    tool("LaTeX", name, () => save(`${name}.tex`, latexText(shownTable(table())), "text/x-tex")),
  ];
  region.after(html("div", { class: "tools" }, ...buttons));
}

/** Adds buttons to all tables and figures. */
export function startDownloads() {
  for (const figure of document.querySelectorAll("main figure")) figureTools(figure);
  for (const region of document.querySelectorAll("main .scroll:has(table[id], table[data-name])")) tableTools(region);
  document.getElementById("save-manifest")?.addEventListener("click", () => save("manifest.json", JSON.stringify(FILES.manifest, null, 2), "application/json"));
}
