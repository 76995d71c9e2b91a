// Tables that are in the page as HTML: they can be sorted and filtered.

function cellKey(cell, isText) {
  const text = cell.textContent.trim();
  if (text === "–" || text === "") return null;
  if (isText) return text;
  const number = parseFloat(text.replaceAll(",", "").replace("−", "-"));
  return Number.isNaN(number) ? (text.startsWith(">") ? Infinity : null) : number;
}

function sortStatic(table) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    const isText = head.classList.contains("left");
    const label = head.textContent.trim();
    head.dataset.text = label;
    const turn = () => {
      const up = head.ariaSort ? head.ariaSort !== "ascending" : isText || /rank|delay|fpr|missed|false|error/i.test(label);
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [cellKey(row.cells[column], isText), row]);
      body.append(...rows.sort((a, b) => compareKeys(a[0], b[0], up)).map(([, row]) => row));
    };
    head.replaceChildren(html("button", { class: "plain", type: "button", onclick: turn }, label));
  });
}

function filterStatic(table) {
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
    const before = remembered(key(field));
    if (before !== null && (field.tagName === "INPUT" || [...field.options].some((option) => option.value === before))) field.value = before;
    field.addEventListener("input", () => {
      remember(key(field), field.value);
      paint();
    });
  }
  paint();
}

function startStaticTables() {
  for (const table of document.querySelectorAll("table.static")) {
    sortStatic(table);
    filterStatic(table);
  }
}
