// Heat maps, and everything about one fault.

// The step of the AUROC scale, 0 to 40. Metrics without a neutral value have its upper half, from worst to best.
function scaleStep(value, metric, low, high) {
  if (metric.centre !== null) return Math.round(40 * clamp(value - metric.centre + 0.5, 0, 1));
  const share = (value - low) / (high - low || 1);
  return 20 + Math.round(20 * clamp(metric.higher ? share : 1 - share, 0, 1));
}

function heatCell(value, metric, low, high, attributes = {}) {
  if (value === null || value === undefined) return html("td", { ...attributes }, "–");
  return html("td", { class: `cell auroc-${scaleStep(value, metric, low, high)}`, ...attributes }, shown(value, metric.unit ? 1 : 2));
}

function heatScale(metric, low, high) {
  const centred = metric.centre !== null;
  const ends = centred ? [metric.centre - 0.5, metric.centre + 0.5] : metric.higher ? [low, high] : [high, low];
  return html("div", { class: "scale", "aria-hidden": "true" }, html("span", {}, shown(ends[0], 1)), html("i", { class: centred ? "both" : "" }), html("span", {}, shown(ends[1], 1)), centred ? html("span", {}, `neutral at ${metric.centre}`) : null);
}

function heatHead(first) {
  return [
    html("colgroup", {}, html("col", { class: "first" }), html("col", { span: visible().length })),
    html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "left" }, first), ...visible().map((index) => html("th", { scope: "col", class: "turned" }, html("span", {}, DATA.names[index]))))),
  ];
}

function leaderboardRow(label, key, metric, range) {
  const entries = DATA.leaderboards[metric.name]?.[key] ?? [];
  const byName = new Map(entries.map((row) => [row[0], row]));
  const cells = visible().map((index) => {
    const row = byName.get(index);
    const tip = row && row[2] !== null ? `${DATA.names[index]}, ${label}: ${shown(row[1])} [${shown(row[2])}, ${shown(row[3])}]` : null;
    return heatCell(row?.[1], metric, ...range, { "data-tip": tip });
  });
  return html("tr", {}, html("th", { scope: "row" }, label), ...cells);
}

function matrices() {
  const metric = metricNow();
  const all = Object.values(DATA.leaderboards[metric.name] ?? {}).flat().map((row) => row[1]);
  const range = [Math.min(...all), Math.max(...all)];
  byId("matrices-scale").replaceChildren(heatScale(metric, ...range));
  const worlds = DATA.worlds.map((world, number) => leaderboardRow(world, keyOf(number, choice.kind, choice.level), metric, range));
  put("by-world", html("table", { class: "heat", "data-name": "by-world", "data-title": `${metric.label} by world` }, heatHead("World"), html("tbody", {}, ...worlds)));
  const kinds = DATA.kinds.flatMap((kind, k) => [
    html("tr", { class: "group" }, html("th", { colspan: visible().length + 1, scope: "rowgroup" }, kind)),
    ...DATA.levels.map((level, l) => (DATA.leaderboards[metric.name]?.[keyOf(choice.world, k, l)] ? leaderboardRow(level, keyOf(choice.world, k, l), metric, range) : null)),
  ]);
  put("by-kind", html("table", { class: "heat", "data-name": "by-kind", "data-title": `${metric.label} by kind and level` }, heatHead("Level"), html("tbody", {}, ...kinds)));
}

// The name of a fault may wrap after its kind and before its level, not within a word.
const breakable = (split) => split.split(/(?<=\/)|(?=@)/).flatMap((part, place) => (place ? [html("wbr"), part] : [part]));

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
  const all = splits.flatMap((faults) => visible().map((index) => value(faults, index))).filter((found) => found !== null);
  const range = [Math.min(...all), Math.max(...all)];
  let kind = null;
  const rows = splits.flatMap((faults) => {
    const fault = DATA.faults[faults[0]];
    const group = fault.kind === kind ? [] : [html("tr", { class: "group" }, html("th", { colspan: visible().length + 1, scope: "rowgroup" }, fault.kind))];
    kind = fault.kind;
    const open = html("button", { class: "plain fault", type: "button", onclick: () => openFault(faults[0]) }, ...breakable(fault.split));
    return [...group, html("tr", {}, html("th", { scope: "row" }, open), ...visible().map((index) => heatCell(value(faults, index), metric, ...range, { "data-fault": faults[0] })))];
  });
  const table = html("table", { class: "heat", id: "heat-table" }, heatHead("Fault"), html("tbody", {}, ...rows));
  table.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-fault]");
    if (cell) openFault(Number(cell.dataset.fault));
  });
  put("heat-scale", heatScale(metric, ...range));
  put("heat", table);
}

function openFault(number) {
  const fault = DATA.faults[number];
  const same = DATA.faults.map((other, place) => [other, place]).filter(([other]) => other.split === fault.split);
  byId("fault-title").textContent = fault.split;
  byId("fault-note").textContent = `Kind: ${fault.kind}. Level: ${fault.level}.`;
  options(byId("fault-world"), same.map(([other, place]) => [String(place), other.world]), String(number));
  options(byId("fault-alarm"), Object.keys(DATA.timing.alarms).map((alarm) => [alarm, alarm]), DATA.timing.default ?? "");
  paintFault();
  if (!byId("fault").open) byId("fault").showModal();
  byId("fault-close").focus();
  byId("fault").scrollTo(0, 0);
  for (const region of byId("fault").querySelectorAll(".scroll")) region.scrollTo(0, 0);
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
  const columns = [{ label: "Detector", className: "left" }, ...DATA.metrics.map((metric) => ({ label: withUnit(metric), down: metric.higher, tip: metric.meaning })), ...extras.map((label) => ({ label }))];
  sortable(byId("fault-numbers"), columns, rows);
  paintFaultTiming(number);
  paintClip(DATA.faults[number]);
  byId("fault-watch").hidden = !DATA.examples.rows.some((row) => row.split === DATA.faults[number].split && row.world === DATA.faults[number].world);
}

// The clip plays only while its part is open.
function paintClip(fault) {
  const part = byId("fault-clip");
  const source = DATA.clips[`${fault.world} ${fault.anomaly}`];
  const alt = `An episode of ${fault.world} with ${fault.anomaly} beside its nominal twin`;
  part.hidden = source === undefined;
  part.ontoggle = () => part.lastElementChild.replaceChildren(...(part.open && source ? [html("img", { src: source, alt })] : []));
  part.ontoggle();
}

function paintFaultTiming(number) {
  const numbers = DATA.timing.alarms[byId("fault-alarm").value]?.[number] ?? [];
  const rows = DATA.names.flatMap((name, index) => {
    const found = numbers[index];
    if (!found) return [];
    return [timingRow(name, found.map((_, column) => timingOf(found, column)))];
  });
  sortable(byId("fault-timing"), [{ label: "Detector", className: "left" }, ...DATA.timing.columns.map((column) => ({ label: column.label, tip: column.meaning }))], rows);
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
