// Tables that can be sorted by mouse and keyboard.

import { html } from "./elements.js";
import { tipButton } from "./tips.js";

/** @typedef {{ label: string, className?: string, tip?: string, sort?: boolean, down?: boolean }} Column */
/** @typedef {{ keys: (string | number | null | undefined)[], values?: any[], node: HTMLElement }} Row */

// Orders two keys; texts among numbers come last, behind them missing keys.
function compareKeys(a, b, up) {
  const [one, other] = [a, b].map((key) => (key === null || key === undefined ? 2 : typeof key === "number" ? 0 : 1));
  if (one !== other || one === 2) return one - other;
  const less = one ? a.localeCompare(b, "en") : a - b;
  return up ? less : -less;
}

/**
 * Fills a table. What it shows is in its property `exported`, for files.
 * @param {any} table
 * @param {Column[]} columns
 * @param {Row[]} rows
 * @param {{ column: number, up: boolean } | null} [order]
 * @param {string[]} [header] of the file
 */
export function sortable(table, columns, rows, order = null, header = columns.map((column) => column.label)) {
  const head = html("tr");
  const body = html("tbody");
  const paint = () => {
    const sorted = order === null ? rows : [...rows].sort((a, b) => compareKeys(a.keys[order.column], b.keys[order.column], order.up));
    table.exported = { header, rows: sorted.map((row) => row.values ?? row.keys) };
    head.replaceChildren(...columns.map(heading));
    body.replaceChildren(...sorted.map((row) => row.node));
  };
  const heading = (column, number) =>
    html(
      "th",
      { scope: "col", class: column.className, "data-text": column.label, "aria-sort": order?.column === number ? direction(order.up) : null },
      column.sort === false ? column.label : html("button", { class: "plain", type: "button", onclick: () => turn(number, column.down) }, column.label),
      column.tip ? tipButton(column.label, column.tip) : null,
    );
  const turn = (column, down) => {
    order = { column, up: order?.column === column ? !order.up : !down };
    paint();
    head.children[column].querySelector("button").focus();
  };
  paint();
  table.replaceChildren(...[table.querySelector("caption"), html("thead", {}, head), body].filter(Boolean));
}

const direction = (up) => (up ? "ascending" : "descending");

/** Makes a table sortable that is in the page as HTML. */
export function sortStatic(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const isText = head.classList.contains("left");
    const label = head.textContent.trim();
    head.dataset.text = label;
    const turn = () => {
      const up = head.ariaSort ? head.ariaSort !== "ascending" : isText || /rank|delay|fpr|missed|false|error/i.test(label);
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", direction(up));
      const rows = [...body.rows].map((row) => [cellKey(row.cells[column], isText), row]);
      body.append(...rows.sort((a, b) => compareKeys(a[0], b[0], up)).map(([, row]) => row));
    };
    head.replaceChildren(html("button", { class: "plain", type: "button", onclick: turn }, label));
  });
}

function cellKey(cell, isText) {
  const text = cell.textContent.trim();
  if (text === "–" || text === "") return null;
  if (isText) return text;
  const number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
  return Number.isNaN(number) ? (text.startsWith(">") ? Infinity : text) : number;
}
