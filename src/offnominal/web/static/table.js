// Tables that can be sorted.

import { html } from "./elements.js";

/** @typedef {{ label: string, className?: string, title?: string, sort?: boolean, down?: boolean }} Column */
/** @typedef {{ keys: (string | number | null | undefined)[], node: HTMLElement }} Row */

/**
 * Orders two keys; missing ones come last.
 * @param {string | number | null | undefined} a
 * @param {string | number | null | undefined} b
 * @param {boolean} up
 */
function compare(a, b, up) {
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  const less = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en");
  return up ? less : -less;
}

/**
 * Fills a table whose columns can be sorted by mouse and keyboard.
 * @param {HTMLTableElement} table
 * @param {Column[]} columns
 * @param {Row[]} rows
 * @param {{ column: number, up: boolean } | null} [order]
 */
export function sortable(table, columns, rows, order = null) {
  const head = html("tr");
  const body = html("tbody");
  const paint = () => {
    const sorted = order === null ? rows : [...rows].sort((a, b) => compare(a.keys[order.column], b.keys[order.column], order.up));
    head.replaceChildren(...columns.map((column, number) => heading(column, number)));
    body.replaceChildren(...sorted.map((row) => row.node));
  };
  /** @param {Column} column @param {number} number */
  const heading = (column, number) =>
    html(
      "th",
      { scope: "col", class: column.className, title: column.title, "aria-sort": order?.column === number ? (order.up ? "ascending" : "descending") : null },
      column.sort === false ? column.label : html("button", { class: "plain", type: "button", onclick: () => turn(number, column.down ?? false) }, column.label),
    );
  /** @param {number} column @param {boolean} down */
  const turn = (column, down) => {
    order = { column, up: order?.column === column ? !order.up : !down };
    paint();
    head.children[column].querySelector("button")?.focus();
  };
  paint();
  const caption = table.querySelector("caption");
  table.replaceChildren(...[caption, html("thead", {}, head), body].filter((part) => part !== null));
}

/**
 * Makes a table sortable that the server has written.
 * @param {HTMLTableElement} table
 */
export function enhance(table) {
  const columns = [...table.tHead.rows[0].cells].map((cell) => ({ label: cell.textContent ?? "", className: cell.className || undefined }));
  const rows = [...table.tBodies[0].rows].map((node) => ({ keys: [...node.cells].map((cell) => keyOf(cell.textContent ?? "")), node }));
  sortable(table, columns, rows);
}

/** @param {string} text */
function keyOf(text) {
  const number = Number.parseFloat(text.replaceAll(",", "").replace("−", "-"));
  if (text === "–") return null;
  return /^[-−+]?[\d.]/.test(text) && !Number.isNaN(number) ? number : text;
}
