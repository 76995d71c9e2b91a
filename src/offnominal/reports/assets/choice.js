// What the reader has chosen to look at, and who wants to know.

const DATA = JSON.parse(document.getElementById("data").textContent);
const choice = { metric: 0, world: -1, kind: -1, level: -1 };
const watchers = [];

const onChoice = (watcher) => watchers.push(watcher);
const metricNow = () => DATA.metrics[choice.metric];
const keyOf = (world, kind, level) => `${world},${kind},${level}`;
const keyNow = () => keyOf(choice.world, choice.kind, choice.level);
const leaderboardNow = () => DATA.leaderboards[metricNow().name]?.[keyNow()] ?? [];

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
  for (const watcher of watchers) watcher();
  const faults = faultsNow().length;
  byId("status").textContent = faults === 1 ? "1 fault" : `${faults} faults`;
}

function startChoice() {
  const sides = { world: DATA.worlds, kind: DATA.kinds, level: DATA.levels };
  options(byId("metric"), DATA.metrics.map((metric, number) => [String(number), metric.label]), "0");
  for (const [side, entries] of Object.entries(sides)) {
    options(byId(side), [["-1", "all"], ...entries.map((text, number) => [String(number), text])], "-1");
  }
  for (const side of Object.keys(choice)) {
    byId(side).addEventListener("change", (event) => {
      choice[side] = Number(event.target.value);
      changed();
    });
  }
  byId("filters").addEventListener("reset", () => {
    Object.assign(choice, { metric: 0, world: -1, kind: -1, level: -1 });
    setTimeout(changed);
  });
}

function startTheme() {
  const root = document.documentElement;
  const stored = (value) => {
    try {
      return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value);
    } catch {
      return null;
    }
  };
  const dark = () =>
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => {
    byId("theme").textContent = dark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-pressed", String(dark()));
  };
  const before = stored();
  if (before) root.dataset.theme = before;
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    stored(root.dataset.theme);
    label();
  });
  label();
}
