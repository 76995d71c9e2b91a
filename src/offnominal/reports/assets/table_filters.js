// Filters of tables that are in the page as HTML.

import { fromAddress, toAddress } from "./address.js";

/** Starts the filters of a table, if it has some. */
export function filterStatic(table) {
  const name = table.dataset.name;
  const bar = document.querySelector(`[data-filters="${CSS.escape(name ?? "")}"]`);
  if (!bar) return;
  bar.hidden = false;
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.text);
  const fields = [...bar.querySelectorAll("select, input")];
  const key = (field) => `${name}.${field.dataset.column ?? "search"}`;
  const paint = () => {
    const tests = fields.filter((field) => field.value).map((field) => {
      const column = heads.indexOf(field.dataset.column);
      const wanted = field.value.toLowerCase();
      return column < 0 ? (row) => row.textContent.toLowerCase().includes(wanted) : (row) => row.cells[column].textContent.trim().toLowerCase() === wanted;
    });
    for (const row of rows) row.hidden = !tests.every((test) => test(row));
    const left = rows.filter((row) => !row.hidden).length;
    bar.querySelector("[role=status]").textContent = left === rows.length ? `${left} rows` : `${left} of ${rows.length} rows`;
  };
  for (const field of fields) {
    const before = fromAddress(key(field));
    if (before !== null && (field.tagName === "INPUT" || [...field.options].some((option) => option.value === before))) field.value = before;
    field.addEventListener("input", () => {
      toAddress({ [key(field)]: field.value });
      paint();
    });
  }
  paint();
}
