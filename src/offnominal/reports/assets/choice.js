// What the reader has chosen to look at, in the address too, and which parts of the page show it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const choice = { metric: 0, world: -1, kind: -1, level: -1 };
const hidden = new Set();
const watchers = [];

const onChoice = (watcher) => watchers.push(watcher);
const metricNow = () => DATA.metrics[choice.metric];
const keyOf = (world, kind, level) => `${world},${kind},${level}`;
const keyNow = () => keyOf(choice.world, choice.kind, choice.level);
const leaderboardNow = () => (metricNow() ? (DATA.leaderboards[metricNow().name]?.[keyNow()] ?? []) : []);
const visible = () => DATA.names.map((_, index) => index).filter((index) => !hidden.has(DATA.names[index]));

function faultsNow() {
  const numbers = DATA.faults.map((_, number) => number);
  return numbers.filter((number) => {
    const fault = DATA.faults[number];
    return (
      (choice.world < 0 || fault.world === DATA.worlds[choice.world]) &&
      (choice.kind < 0 || fault.kind === DATA.kinds[choice.kind]) &&
      (choice.level < 0 || fault.level === DATA.levels[choice.level])
    );
  });
}

function changed() {
  if (metricNow()) for (const watcher of watchers) watcher();
  const faults = faultsNow().length;
  byId("status").textContent = faults === 1 ? "1 fault" : `${faults} faults`;
  byId("metric-tip").dataset.tip = metricNow()?.meaning ?? "";
  remember("hide", [...hidden].join("\n"));
  for (const [side, place] of Object.entries(choice)) remember(side, place <= (side === "metric" ? 0 : -1) ? null : textsOf(side)[place]);
}

const textsOf = (side) => ({ metric: DATA.metrics.map((metric) => metric.name), world: DATA.worlds, kind: DATA.kinds, level: DATA.levels })[side];

function startChoice() {
  for (const side of Object.keys(choice)) {
    const texts = side === "metric" ? DATA.metrics.map((metric) => metric.label) : textsOf(side);
    const place = textsOf(side).indexOf(remembered(side));
    if (place >= 0) choice[side] = place;
    options(byId(side), [...(side === "metric" ? [] : [["-1", "all"]]), ...texts.map((text, number) => [String(number), text])], String(choice[side]));
    byId(side).addEventListener("change", (event) => {
      choice[side] = Number(event.target.value);
      changed();
    });
  }
  for (const name of (remembered("hide") ?? "").split("\n")) if (DATA.names.includes(name)) hidden.add(name);
  byId("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    Object.assign(choice, { metric: 0, world: -1, kind: -1, level: -1 });
    for (const side of Object.keys(choice)) byId(side).value = String(choice[side]);
    hidden.clear();
    changed();
  });
}

// A legend of buttons that show and hide detectors in all figures and heat maps.
function detectorLegend() {
  const entries = DATA.names.map((name) => {
    const toggle = (event) => {
      if (hidden.has(name)) hidden.delete(name);
      else if (visible().length > 1) hidden.add(name);
      const place = [event.currentTarget.closest("figure").id, DATA.names.indexOf(name)];
      changed();
      byId(place[0]).querySelectorAll(".legend button")[place[1]]?.focus();
    };
    const mark = html("span", { class: "dot", "aria-hidden": "true" });
    const button = html("button", { type: "button", class: isBaseline(name) ? "plain baseline" : "plain", "--own": DATA.colours[name], "aria-pressed": String(!hidden.has(name)), onclick: toggle }, mark, name);
    return html("li", {}, button);
  });
  return html("ul", { class: "legend toggles", "aria-label": "Detectors: press to show or hide" }, ...entries);
}
