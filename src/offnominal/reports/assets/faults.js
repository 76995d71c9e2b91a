// Heat maps, and everything about one fault.

function goodness(value, metric, low, high) {
  if (metric.random_value !== null) {
    const best = metric.random_value === 0 ? Math.max(high, 0.05) : 1;
    return (value - metric.random_value) / (best - metric.random_value);
  }
  return metric.higher ? (value - low) / (high - low || 1) : 1 - (value - low) / (high - low || 1);
}

function heatCell(value, metric, low, high, attributes = {}) {
  if (value === null || value === undefined) return html("td", { ...attributes }, "–");
  const good = clamp(goodness(value, metric, low, high), -1, 1);
  const share = Math.round(Math.abs(good) * 92);
  const tone = good < 0 ? "var(--bad)" : "var(--heat)";
  return html("td", { class: share > 66 ? "cell deep" : "cell", "--share": share, "--tone": tone, ...attributes }, shown(value, metric.unit ? 1 : 2));
}

function heatScale(metric, low, high) {
  const ends = metric.random_value !== null ? ["below random", "best"] : metric.higher ? [shown(low, 2), shown(high, 2)] : [shown(high, 2), shown(low, 2)];
  return html("div", { class: "scale", "aria-hidden": "true" }, ends[0], html("i", { class: metric.random_value !== null ? "both" : "" }), ends[1]);
}

function heatHead(first) {
  return [
    html("colgroup", {}, html("col", { class: "first" }), html("col", { span: DATA.names.length })),
    html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "left" }, first), ...DATA.names.map((name) => html("th", { scope: "col", class: "turned" }, html("span", {}, name))))),
  ];
}

function leaderboardRow(label, key, metric, range) {
  const entries = DATA.leaderboards[metric.name]?.[key] ?? [];
  const byName = new Map(entries.map((row) => [row[0], row]));
  const cells = DATA.names.map((_, index) => {
    const row = byName.get(index);
    const title = row && row[2] !== null ? `${shown(row[1])} [${shown(row[2])}, ${shown(row[3])}]` : null;
    return heatCell(row?.[1], metric, ...range, { title });
  });
  return html("tr", {}, html("th", { scope: "row" }, label), ...cells);
}

function matrices() {
  const metric = metricNow();
  const all = Object.values(DATA.leaderboards[metric.name] ?? {}).flat().map((row) => row[1]);
  const range = [Math.min(...all), Math.max(...all)];
  const worlds = DATA.worlds.map((world, number) => leaderboardRow(world, keyOf(number, choice.kind, choice.level), metric, range));
  put("by-world", html("table", { class: "heat" }, heatHead("World"), html("tbody", {}, ...worlds)));
  const kinds = DATA.kinds.flatMap((kind, k) => [
    html("tr", { class: "group" }, html("th", { colspan: DATA.names.length + 1, scope: "rowgroup" }, kind)),
    ...DATA.levels.map((level, l) => (DATA.leaderboards[metric.name]?.[keyOf(choice.world, k, l)] ? leaderboardRow(level, keyOf(choice.world, k, l), metric, range) : null)),
  ]);
  put("by-kind", html("table", { class: "heat" }, heatHead("Level"), html("tbody", {}, ...kinds)));
}

function splitsNow() {
  const groups = new Map();
  for (const number of faultsNow()) {
    const split = DATA.faults[number].split;
    groups.set(split, [...(groups.get(split) ?? []), number]);
  }
  const place = (numbers) => {
    const fault = DATA.faults[numbers[0]];
    return [DATA.kinds.indexOf(fault.kind), fault.anomaly, DATA.levels.indexOf(fault.level), fault.variant];
  };
  return [...groups.values()].sort((a, b) => {
    const [one, other] = [place(a), place(b)];
    const differs = one.findIndex((value, i) => value !== other[i]);
    return differs < 0 ? 0 : one[differs] < other[differs] ? -1 : 1;
  });
}

function heatMap() {
  const metric = metricNow();
  const numbers = DATA.numbers[metric.name];
  const splits = splitsNow();
  const value = (faults, index) => mean(faults.map((fault) => numbers[fault][index]?.[0]).filter((found) => found !== undefined && found !== null));
  const all = splits.flatMap((faults) => DATA.names.map((_, index) => value(faults, index))).filter((found) => found !== null);
  const range = [Math.min(...all), Math.max(...all)];
  let kind = null;
  const rows = splits.flatMap((faults) => {
    const fault = DATA.faults[faults[0]];
    const group = fault.kind === kind ? [] : [html("tr", { class: "group" }, html("th", { colspan: DATA.names.length + 1, scope: "rowgroup" }, fault.kind))];
    kind = fault.kind;
    const open = html("button", { class: "plain fault", type: "button", onclick: () => openFault(faults[0]) }, fault.split);
    return [...group, html("tr", {}, html("th", { scope: "row" }, open), ...DATA.names.map((_, index) => heatCell(value(faults, index), metric, ...range, { "data-fault": faults[0] })))];
  });
  const table = html("table", { class: "heat", id: "heat-table" }, heatHead("Fault"), html("tbody", {}, ...rows));
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-fault]");
    if (cell) openFault(Number(cell.dataset.fault));
  });
  put("heat", heatScale(metric, ...range), html("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Heat map of faults" }, table));
}

function openFault(number) {
  const fault = DATA.faults[number];
  const same = DATA.faults.map((other, place) => [other, place]).filter(([other]) => other.split === fault.split);
  byId("fault-title").textContent = fault.split;
  byId("fault-note").textContent = `Kind: ${fault.kind}. Level: ${fault.level}.`;
  options(byId("fault-world"), same.map(([other, place]) => [String(place), other.world]), String(number));
  options(byId("fault-alarm"), Object.keys(DATA.timing.alarms).map((alarm) => [alarm, alarm]), Object.keys(DATA.timing.alarms)[0] ?? "");
  paintFault();
  if (!byId("fault").open) byId("fault").showModal();
}

function paintFault() {
  const number = Number(byId("fault-world").value);
  const estimate = (cell, digits) => (cell ? [shown(cell[0], digits), cell[1] === null ? null : html("span", { class: "interval" }, ` [${shown(cell[1], digits)}, ${shown(cell[2], digits)}]`)] : ["–"]);
  const extras = Object.keys(DATA.extras);
  const rows = DATA.names.map((name, index) => {
    const cells = DATA.metrics.map((metric) => DATA.numbers[metric.name][number][index]);
    const more = extras.map((label) => DATA.extras[label][number][index]);
    return {
      keys: [name, ...cells.map((cell) => cell?.[0] ?? null), ...more],
      node: html("tr", {}, detectorCell(name), ...cells.map((cell, i) => html("td", {}, ...estimate(cell, digitsOf(DATA.metrics[i])))), ...more.map((value) => html("td", {}, shown(value)))),
    };
  });
  const columns = [{ label: "Detector", className: "left" }, ...DATA.metrics.map((metric) => ({ label: withUnit(metric), down: metric.higher })), ...extras.map((label) => ({ label }))];
  sortable(byId("fault-numbers"), columns, rows);
  paintFaultTiming(number);
  byId("fault-watch").hidden = !DATA.examples.rows.some((row) => row.split === DATA.faults[number].split && row.world === DATA.faults[number].world);
}

function paintFaultTiming(number) {
  const numbers = DATA.timing.alarms[byId("fault-alarm").value]?.[number] ?? [];
  const rows = DATA.names.flatMap((name, index) => {
    const found = numbers[index];
    if (!found) return [];
    return [timingRow(name, found.map((_, column) => timingOf(found, column)))];
  });
  sortable(byId("fault-timing"), [{ label: "Detector", className: "left" }, ...DATA.timing.columns.map((column) => ({ label: column.label }))], rows);
}

function startFaults() {
  byId("fault-world").addEventListener("change", paintFault);
  byId("fault-alarm").addEventListener("change", () => paintFaultTiming(Number(byId("fault-world").value)));
  byId("fault-close").addEventListener("click", () => byId("fault").close());
  byId("fault-watch").addEventListener("click", () => {
    const fault = DATA.faults[Number(byId("fault-world").value)];
    byId("fault").close();
    watchEpisode(fault.world, fault.split);
    byId("episodes").scrollIntoView();
  });
}
