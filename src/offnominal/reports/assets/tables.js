// Tables that can be sorted, the leaderboard first.

function sortable(table, columns, rows, start = null, header = columns.map((column) => column.label)) {
  let order = start;
  const head = html("tr", {});
  const body = html("tbody", {});
  const paint = () => {
    const sorted = order === null ? rows : [...rows].sort((a, b) => compareKeys(a.keys[order.column], b.keys[order.column], order.up));
    table.exported = { header, rows: sorted.map((row) => row.values ?? row.keys) };
    head.replaceChildren(
      ...columns.map((column, number) =>
        html(
          "th",
          {
            scope: "col",
            class: column.className,
            "data-text": column.label,
            "aria-sort": order?.column === number ? (order.up ? "ascending" : "descending") : null,
          },
          column.sort === false
            ? column.label
            : html("button", { class: "plain", type: "button", onclick: () => turn(number, column.down) }, column.label),
          column.tip ? tipButton(column.label, column.tip) : null,
        ),
      ),
    );
    body.replaceChildren(...sorted.map((row) => row.node));
  };
  const turn = (column, down) => {
    const again = order?.column === column;
    order = { column, up: again ? !order.up : !down };
    paint();
    head.children[column].querySelector("button").focus();
  };
  paint();
  table.replaceChildren(...[table.querySelector("caption"), html("thead", {}, head), body].filter(Boolean));
}

function barScale(entries, metric) {
  const values = entries.flatMap((row) => row.slice(1, 4)).filter((value) => value !== null);
  if (metric.random_value !== null) values.push(metric.random_value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const pad = 0.04 * (high - low) || 0.05;
  return (value) => (300 * (value - low + pad)) / (high - low + 2 * pad);
}

function intervalBar(row, metric, x) {
  const [name, value, low, high] = [DATA.names[row[0]], row[1], row[2], row[3]];
  const colour = DATA.colours[name];
  return draw(
    "svg",
    { viewBox: "0 0 300 22", role: "img", "aria-label": `${name}: ${shown(value, digitsOf(metric))}` },
    metric.random_value === null ? null : draw("line", { class: "random", x1: x(metric.random_value), x2: x(metric.random_value), y1: 0, y2: 22 }),
    draw("line", { class: "grid", x1: 0, x2: 300, y1: 11, y2: 11 }),
    low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: colour, "stroke-width": 5, "stroke-linecap": "round", opacity: 0.4 }),
    draw("circle", { cx: x(value), cy: 11, r: 5, fill: isBaseline(name) ? "var(--card)" : colour, stroke: colour, "stroke-width": 2 }),
  );
}

function leaderboard() {
  const metric = metricNow();
  const entries = leaderboardNow();
  const x = barScale(entries, metric);
  const digits = digitsOf(metric);
  const best = new Set(entries[0]?.[5] ?? "");
  const isBest = (rank, tie) => rank === 1 || (rank !== null && [...tie].some((letter) => best.has(letter)));
  const rows = entries.map((row) => {
    const [index, value, low, high, rank, tie, blocks] = row;
    const cost = DATA.cost[index];
    const name = DATA.names[index];
    return {
      keys: [rank, name, tie, value, null, cost.fit, cost.score],
      values: [rank, name, tie, value, low, high, cost.fit, cost.score],
      node: html(
        "tr",
        { "data-name": name, class: isBest(rank, tie) ? "leader" : null },
        html("td", {}, rank === null ? html("button", { type: "button", class: "plain", "data-tip": `Has results for ${blocks} faults only.` }, "–") : String(rank)),
        detectorCell(name),
        html("td", { class: "left ties" }, tie),
        html("td", {}, shown(value, digits), low === null ? null : html("span", { class: "interval" }, ` [${shown(low, digits)}, ${shown(high, digits)}]`)),
        html("td", { class: "graph", "data-text": "" }, intervalBar(row, metric, x)),
        html("td", {}, shown(cost.fit, 1)),
        html("td", {}, shown(cost.score, 1)),
      ),
    };
  });
  const columns = [
    { label: "Rank" },
    { label: "Detector", className: "left" },
    { label: "Ties", className: "left", tip: "Detectors that share a letter do not differ significantly: the interval of their paired difference contains 0." },
    { label: `${withUnit(metric)} ${metric.higher ? "↑ better" : "↓ better"}`, down: metric.higher, tip: metric.meaning },
    { label: metric.random_value === null ? "95 % interval" : `95 % interval; dashed: ${metric.random_value}`, sort: false, className: "graph" },
    { label: "Fit, CPU s", tip: "CPU seconds to fit, mean over cells." },
    { label: "Score, CPU µs/step", tip: "CPU microseconds per scored step." },
  ];
  sortable(byId("leaderboard"), columns, rows, { column: 0, up: true }, ["rank", "detector", "ties", metric.name, "low", "high", "fit_cpu_s", "score_cpu_us"]);
  byId("meaning").textContent = metric.meaning;
}

function startAlarms() {
  const alarms = Object.keys(DATA.timing.alarms);
  options(byId("alarm"), alarms.map((alarm) => [alarm, alarm]), alarms.includes(remembered("alarm")) ? remembered("alarm") : (DATA.timing.default ?? ""));
  byId("alarm").addEventListener("change", () => {
    remember("alarm", byId("alarm").value === DATA.timing.default ? null : byId("alarm").value);
    timingTable();
  });
}

function timingTable() {
  const alarm = byId("alarm").value;
  if (!alarm) return;
  const labels = DATA.timing.columns;
  const faults = faultsNow();
  const rows = DATA.names.map((name, index) => {
    const found = faults.map((fault) => DATA.timing.alarms[alarm][fault][index]).filter(Boolean);
    return timingRow(name, labels.map((label, column) => together(label.name, found.map((row) => timingOf(row, column)))));
  });
  const columns = [{ label: "Detector", className: "left" }, ...labels.map((column) => ({ label: column.label, tip: column.meaning }))];
  sortable(byId("timing-table"), columns, rows.filter((row) => row.keys.slice(1).some((value) => value !== null)));
}

// A median delay that is missing beside a known miss rate does not exist: more than half are missed.
function timingOf(row, column) {
  const missed = row[DATA.timing.columns.findIndex((each) => each.name === "miss_rate")];
  const median = DATA.timing.columns[column].name === "median_delay";
  return median && row[column] === null && missed !== null ? Infinity : row[column];
}

function together(name, values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  return name !== "median_delay" ? mean(known) : known.length ? known[(known.length - 1) >> 1] : null;
}

function timingRow(name, numbers) {
  const cells = numbers.map((value, column) => html("td", {}, timingText(DATA.timing.columns[column].name, value)));
  return { keys: [name, ...numbers], values: [name, ...numbers.map((value) => (value === Infinity ? null : value))], node: html("tr", { "data-name": name }, detectorCell(name), ...cells) };
}

function timingText(name, value) {
  if (value === null) return "–";
  if (value === Infinity) return DATA.half_missed;
  return name.includes("delay") ? shown(value, 1) : name === "false_alarms" ? shown(value, 2) : `${fixed(100 * value, 1)} %`;
}

const percent = (share) => (share === null ? "–" : `${significant(100 * share)}%`);

function guaranteeBar(entry, [, , share, low, high], most) {
  const x = (value) => (220 * value) / most;
  const limit = x(entry.level);
  return draw(
    "svg",
    { viewBox: "0 0 220 22", role: "img", "aria-label": `measured ${percent(share)}` },
    draw("line", { class: "grid", x1: 0, x2: 220, y1: 11, y2: 11 }),
    draw("line", { x1: limit, x2: limit, y1: 1, y2: 21, stroke: "var(--ink)", "stroke-width": 1.5, "stroke-dasharray": "3 2" }),
    low === null ? null : draw("line", { x1: x(low), x2: x(high), y1: 11, y2: 11, stroke: "var(--accent)", "stroke-width": 5, "stroke-linecap": "round", opacity: 0.4 }),
    share === null ? null : draw("circle", { cx: x(share), cy: 11, r: 5, fill: "var(--accent)" }),
  );
}

function guaranteeRow(entry, row, most, several) {
  const [index, , share, low, high, n, verdict] = row;
  const name = DATA.names[index];
  const hourly = (value) => (entry.hourly === null || value === null ? "" : ` (${significant(value * entry.hourly)} per hour)`);
  const interval = low === null ? null : html("span", { class: "interval" }, ` [${percent(low)}, ${percent(high)}]`);
  const colour = verdict === "kept" ? "kept" : verdict === "not kept" ? "broken" : "";
  return {
    keys: [...(several ? [entry.alarm] : []), name, verdict, entry.level, share, null, n],
    node: html(
      "tr",
      { "data-name": name },
      several ? html("td", { class: "left" }, entry.alarm) : null,
      detectorCell(name),
      html("td", { class: `left verdict ${colour}` }, verdict),
      html("td", {}, `≤ ${percent(entry.level)}${hourly(entry.level)}`),
      html("td", {}, percent(share), interval, hourly(share)),
      html("td", { class: "graph narrow", "data-text": "" }, guaranteeBar(entry, row, most)),
      html("td", {}, `${n.toLocaleString("en")} ${entry.unit}`),
    ),
  };
}

function guaranteeTable() {
  const guaranteed = DATA.guarantees.filter((entry) => entry.level !== null);
  const others = DATA.guarantees.filter((entry) => entry.level === null).map((entry) => entry.alarm);
  const stated = [...guaranteed.map((entry) => `${entry.alarm}: ${entry.text}.`), others.length ? `${others.join(", ")}: no guarantee.` : ""];
  byId("guarantee-text").textContent = stated.join(" ").trim() || "The run has no alarm.";
  const here = guaranteed.map((entry) => [entry, entry.rows.filter((row) => row[1] === choice.world)]);
  const ends = here.flatMap(([entry, rows]) => [2 * entry.level, ...rows.map((row) => row[4] ?? 0)]);
  const most = Math.min(Math.max(...ends), 1);
  const several = guaranteed.length > 1;
  const rows = here.flatMap(([entry, found]) => found.map((row) => guaranteeRow(entry, row, most, several)));
  const columns = [
    ...(several ? [{ label: "Alarm", className: "left" }] : []),
    { label: "Detector", className: "left" },
    { label: "Verdict", className: "left" },
    { label: "Guaranteed share" },
    { label: "Measured share, 95 % interval" },
    { label: `0% to ${percent(most)}; dashed: guaranteed`, sort: false, className: "graph" },
    { label: "Nominal" },
  ];
  sortable(byId("guarantee-table"), rows.length ? columns : [], rows);
}
