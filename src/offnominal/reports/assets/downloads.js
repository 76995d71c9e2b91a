// Files that the browser makes from the page: tables as CSV and LaTeX, figures as PNG and SVG, the manifest.

const FILES = JSON.parse(document.getElementById("files").textContent);
const LATEX = { "\\": "\\textbackslash{}", "&": "\\&", "%": "\\%", $: "\\$", "#": "\\#", _: "\\_", "{": "\\{", "}": "\\}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "`": "\\textasciigrave{}", "×": "$\\times$", "±": "$\\pm$", "→": "$\\to$", "µ": "$\\mu$", "–": "--" };
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
  const cell = (value) => [...String(value ?? "–").replace(/\s+/g, " ")].map((letter) => LATEX[letter] ?? letter).join("").replace(/^[[*]/, "{$&}");
  const line = (row) => `    ${row.map(cell).join(" & ")} \\\\`;
  const sides = header.map((_, place) => (place ? "r" : "l")).join("");
  const body = [line(header), "    \\midrule", ...rows.map(line)].join("\n");
  return `\\begin{table}\n  \\centering\n  \\caption{${cell(title)}}\n  \\begin{tabular}{${sides}}\n    \\toprule\n${body}\n    \\bottomrule\n  \\end{tabular}\n\\end{table}\n`;
}

function shownTable(table) {
  const texts = (row) => [...row.children].map((cell) => (cell.dataset.text ?? cell.innerText ?? cell.textContent).replace(/\s+/g, " ").trim());
  const title = table.dataset.title ?? table.caption?.textContent ?? table.closest("section")?.querySelector("h2")?.textContent ?? "";
  const header = [...table.tHead.rows[0].children].map((cell) => cell.dataset.text ?? cell.textContent.trim());
  return { title, header, rows: [...table.tBodies[0].rows].filter((row) => !row.hidden).map(texts) };
}

function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((node, place) => {
    const style = getComputedStyle(node);
    for (const name of STYLED) to[place].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex", "data-tip"]) to[place].removeAttribute(name);
  });
  const { x, y, width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.prepend(draw("rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

function savePng(name, svg) {
  const { text, width, height } = standalone(svg);
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${name}.png`, blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

const tool = (text, about, onclick) => html("button", { type: "button", "aria-label": `Save ${about} as ${text}`, onclick }, text);

function figureTools(figure) {
  const name = figure.id || figure.querySelector("img").dataset.name;
  const svg = () => figure.querySelector(":scope > svg");
  const image = figure.querySelector("img");
  const picture = async () => save(`${name}.png`, await (await fetch(image.src)).blob());
  const buttons = image ? [tool("PNG", name, picture)] : [tool("PNG", name, () => svg() && savePng(name, svg())), tool("SVG", name, () => svg() && save(`${name}.svg`, standalone(svg()).text, "image/svg+xml"))];
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

function startDownloads() {
  for (const figure of document.querySelectorAll("main figure")) figureTools(figure);
  for (const region of document.querySelectorAll("main .scroll:has(table[id], table[data-name])")) tableTools(region);
  byId("save-manifest")?.addEventListener("click", () => save("manifest.json", JSON.stringify(FILES.manifest, null, 2), "application/json"));
}
