// Two detectors: a point per fault, the paired difference, and wins, ties and losses by kind and level.

import { fromAddress, toAddress } from "./address.js";
import { faultsNow, keyNow, keyOf, metricNow, placeOf } from "./choice.js";
import { digitsOf } from "./detectors.js";
import { byId, html, options, put } from "./elements.js";
import { openFault } from "./faults.js";
import { DATA } from "./page_data.js";
import { outcomeBar, outcomeLegend, pairScatter } from "./pair_figure.js";
import { fixed, shown } from "./rounding.js";
import { sortable } from "./table.js";

const UNIT = 1e-4;
const OUTCOMES = { w: "win", t: "tie", l: "loss" };
const COLOURS = { win: "var(--win)", tie: "var(--faint)", loss: "var(--bad)" };

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
  const node = html(
    "tr",
    { class: className },
    html("th", { scope: "row" }, label),
    ...counts.map((number) => html("td", {}, String(number))),
    html("td", { class: "graph narrow", "data-text": "" }, outcomeBar(counts, COLOURS)),
    html("td", {}, difference ? differenceText(difference, digitsOf(metricNow())) : "–"),
  );
  return [{ keys: [label, ...counts, null, difference?.[0] ?? null], values: [label, ...counts, ...(difference ?? [null, null, null])], node }];
}

/** Draws the comparison of the chosen pair. */
export function comparePair() {
  const pair = pairNow();
  const [world, chosenKind, chosenLevel] = ["world", "kind", "level"].map(placeOf);
  const faults = faultsNow();
  byId("compare-verdict").textContent = compareVerdict(pair);
  const part = (side, entry) => faults.filter((fault) => DATA.faults[fault][side] === entry);
  const rows = [
    ...compareRow(pair, "All", faults, keyNow(), "leader"),
    ...DATA.kinds.flatMap((kind, k) => (chosenKind < 0 ? compareRow(pair, kind, part("kind", kind), keyOf(world, k, chosenLevel)) : [])),
    ...DATA.levels.flatMap((level, l) => (chosenLevel < 0 ? compareRow(pair, level, part("level", level), keyOf(world, chosenKind, l)) : [])),
  ];
  const columns = [{ label: "Faults", className: "left" }, { label: "Wins", down: true }, { label: "Ties", down: true }, { label: "Losses", down: true }, { label: "", sort: false, className: "graph" }, { label: "Paired difference, 95 % interval", down: true }];
  sortable(byId("compare-table"), columns, rows, null, ["faults", "wins", "ties", "losses", "difference", "low", "high"]);
  compareScatter(pair, faults);
  toAddress({ first: pair.first === 0 ? null : DATA.names[pair.first], second: pair.second === 1 ? null : DATA.names[pair.second] });
}

function compareScatter(pair, faults) {
  const metric = metricNow();
  const names = [DATA.names[pair.first], DATA.names[pair.second]];
  const numbers = DATA.numbers[metric.name];
  const points = faults.flatMap((fault) => {
    const [one, other] = [numbers[fault][pair.first]?.[0], numbers[fault][pair.second]?.[0]];
    if (one === undefined || other === undefined || one === null || other === null) return [];
    const outcome = OUTCOMES[outcomeOf(pair, fault)];
    const { split, world } = DATA.faults[fault];
    const tip = `${split}, ${world}: ${shown(one, digitsOf(metric))} against ${shown(other, digitsOf(metric))}, ${outcome ?? "no comparison"}`;
    return [{ one, other, outcome, tip, attributes: { "data-fault": fault, onclick: () => openFault(fault) } }];
  });
  if (!points.length) return put("compare-scatter", html("p", { class: "note" }, "No fault has results of both."));
  put(
    "compare-scatter",
    outcomeLegend({ win: "win", tie: "tie", loss: "loss" }, COLOURS),
    pairScatter(metric, names, points, COLOURS),
    html("figcaption", {}, `One point per fault. ${metric.higher ? "Above" : "Below"} the dashed line ${names[0]} is better.`),
  );
}

/** Starts the choice of two detectors. */
export function startCompare() {
  const entries = DATA.names.map((name, index) => [String(index), name]);
  const wanted = (name, fallback) => String(DATA.names.includes(fromAddress(name)) ? DATA.names.indexOf(fromAddress(name)) : fallback);
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
}
