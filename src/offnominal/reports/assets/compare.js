// Two detectors: a point per fault, the paired difference, and wins, ties and losses by kind and level.

const UNIT = 1e-4;
const OUTCOMES = { w: ["win", "var(--win)"], t: ["tie", "var(--faint)"], l: ["loss", "var(--bad)"] };

// Pairs are stored once, the better detector of the leaderboard first.
function pairNow() {
  const [first, second] = [Number(byId("compare-first").value), Number(byId("compare-second").value)];
  const [low, high] = [Math.min(first, second), Math.max(first, second)];
  const n = DATA.names.length;
  return { first, second, turned: first > second, place: low * n - (low * (low + 1)) / 2 + high - low - 1 };
}

function outcomeOf(pair, fault) {
  const letter = DATA.pairs[metricNow().name].outcomes[pair.place][fault];
  return pair.turned ? ({ w: "l", l: "w" }[letter] ?? letter) : letter;
}

function differenceOf(pair, key) {
  const found = DATA.pairs[metricNow().name].differences[key]?.[pair.place];
  if (!found) return null;
  const [value, low, high] = found.map((number) => number * UNIT);
  if (!pair.turned) return [value, low ?? null, high ?? null];
  return [-value, high === undefined ? null : -high, low === undefined ? null : -low];
}

const signed = (value, digits) => (value > 0 ? "+" : value < 0 ? "−" : "±") + fixed(Math.abs(value), digits);
const differenceText = ([value, low, high], digits) => signed(value, digits) + (low === null ? "" : ` [${signed(low, digits)}, ${signed(high, digits)}]`);

function compareVerdict(pair) {
  const metric = metricNow();
  const difference = differenceOf(pair, keyNow());
  const [first, second] = [DATA.names[pair.first], DATA.names[pair.second]];
  if (!difference) return "The paired difference of this selection is not on this page. Choose the first metric, or one filter at most.";
  const text = `${first} − ${second}: ${differenceText(difference, digitsOf(metric))}${metric.unit ? ` ${metric.unit}` : ""}`;
  const [value, low, high] = difference;
  if (low === null) return `${text}. No intervals were computed.`;
  if (low <= 0 && high >= 0) return `${text}. The interval contains 0: no significant difference.`;
  return `${text}. ${value > 0 === metric.higher ? first : second} is better; the interval excludes 0.`;
}

function compareRow(pair, label, faults, key, className) {
  const count = (letter) => faults.filter((fault) => outcomeOf(pair, fault) === letter).length;
  const counts = ["w", "t", "l"].map(count);
  const total = counts[0] + counts[1] + counts[2];
  if (!total) return [];
  const difference = differenceOf(pair, key);
  const bar = html("span", { class: "outcomes", "aria-hidden": "true" }, ...["w", "t", "l"].map((letter, place) => html("i", { "--tone": OUTCOMES[letter][1], "--part": counts[place] / total })));
  const node = html(
    "tr",
    { class: className },
    html("th", { scope: "row" }, label),
    ...counts.map((number) => html("td", {}, String(number))),
    html("td", { class: "graph narrow", "data-text": "" }, bar),
    html("td", {}, difference ? differenceText(difference, digitsOf(metricNow())) : "–"),
  );
  return [{ keys: [label, ...counts, null, difference?.[0] ?? null], values: [label, ...counts, ...(difference ?? [null, null, null])], node }];
}

function comparePair() {
  const pair = pairNow();
  const faults = faultsNow();
  byId("compare-verdict").textContent = compareVerdict(pair);
  const part = (side, entry) => faults.filter((fault) => DATA.faults[fault][side] === entry);
  const rows = [
    ...compareRow(pair, "All", faults, keyNow(), "leader"),
    ...DATA.kinds.flatMap((kind, k) => (choice.kind < 0 ? compareRow(pair, kind, part("kind", kind), keyOf(choice.world, k, choice.level)) : [])),
    ...DATA.levels.flatMap((level, l) => (choice.level < 0 ? compareRow(pair, level, part("level", level), keyOf(choice.world, choice.kind, l)) : [])),
  ];
  const columns = [{ label: "Faults", className: "left" }, { label: "Wins", down: true }, { label: "Ties", down: true }, { label: "Losses", down: true }, { label: "", sort: false, className: "graph" }, { label: "Paired difference, 95 % interval", down: true }];
  sortable(byId("compare-table"), columns, rows, null, ["faults", "wins", "ties", "losses", "difference", "low", "high"]);
  compareScatter(pair, faults);
  remember("first", pair.first === 0 ? null : DATA.names[pair.first]);
  remember("second", pair.second === 1 ? null : DATA.names[pair.second]);
}

function compareScatter(pair, faults) {
  const metric = metricNow();
  const numbers = DATA.numbers[metric.name];
  const points = faults.flatMap((fault) => {
    const [one, other] = [numbers[fault][pair.first]?.[0], numbers[fault][pair.second]?.[0]];
    return one === undefined || other === undefined || one === null || other === null ? [] : [{ fault, one, other, outcome: outcomeOf(pair, fault) }];
  });
  if (!points.length) return put("compare-scatter", html("p", { class: "note" }, "No fault has results of both."));
  const [left, right, top, bottom] = [64, 500, 12, 448];
  const all = points.flatMap((point) => [point.one, point.other]);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const pad = 0.05 * (most - least) || 0.05;
  const [low, high] = [least - pad, most + pad];
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const parts = [
    ...ticks(low, high, 5).flatMap((tick) => [
      draw("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }),
      draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }),
      draw("text", { class: "quiet", x: x(tick), y: bottom + 17, "text-anchor": "middle" }, String(tick)),
      draw("text", { class: "quiet", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, String(tick)),
    ]),
    draw("line", { class: "random", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }),
    draw("text", { x: (left + right) / 2, y: bottom + 40, "text-anchor": "middle" }, `${DATA.names[pair.second]}: ${withUnit(metric)}`),
    draw("text", { transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `${DATA.names[pair.first]}: ${withUnit(metric)}`),
    ...points.map(({ fault, one, other, outcome }) =>
      draw("path", {
        d: SHAPES[{ w: 0, t: 3, l: 1 }[outcome] ?? 3],
        transform: `translate(${x(other)} ${y(one)})`,
        fill: outcome === "t" ? "none" : OUTCOMES[outcome]?.[1],
        stroke: OUTCOMES[outcome]?.[1] ?? "var(--faint)",
        "stroke-width": 1.4,
        "data-fault": fault,
        "data-tip": `${DATA.faults[fault].split}, ${DATA.faults[fault].world}: ${shown(one, digitsOf(metric))} against ${shown(other, digitsOf(metric))}, ${OUTCOMES[outcome]?.[0] ?? "no comparison"}`,
        onclick: () => openFault(fault),
      }),
    ),
  ];
  const legend = ["w", "t", "l"].map((letter) => legendEntry({ w: 0, t: 3, l: 1 }[letter], OUTCOMES[letter][1], OUTCOMES[letter][0], letter === "t"));
  put(
    "compare-scatter",
    html("ul", { class: "legend" }, ...legend),
    chart("0 0 520 500", `${metric.label} of ${DATA.names[pair.first]} against ${DATA.names[pair.second]}, one point per fault`, parts),
    html("figcaption", {}, `One point per fault. ${metric.higher ? "Above" : "Below"} the dashed line ${DATA.names[pair.first]} is better.`),
  );
}

function startCompare() {
  const entries = DATA.names.map((name, index) => [String(index), name]);
  const wanted = (name, fallback) => String(DATA.names.includes(remembered(name)) ? DATA.names.indexOf(remembered(name)) : fallback);
  options(byId("compare-first"), entries, wanted("first", 0));
  options(byId("compare-second"), entries, wanted("second", byId("compare-first").value === "1" ? 0 : 1));
  const changedTo = (id, other) => {
    if (byId(id).value === byId(other).value) byId(other).value = byId(id).value === "0" ? "1" : "0";
    comparePair();
  };
  byId("compare-first").addEventListener("change", () => changedTo("compare-first", "compare-second"));
  byId("compare-second").addEventListener("change", () => changedTo("compare-second", "compare-first"));
  byId("compare-swap").addEventListener("click", () => {
    const before = byId("compare-first").value;
    byId("compare-first").value = byId("compare-second").value;
    byId("compare-second").value = before;
    comparePair();
  });
  changedTo("compare-first", "compare-second");
  onChoice(comparePair);
}
