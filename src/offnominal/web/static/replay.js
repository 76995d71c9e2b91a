// Replay: an episode and its twin side by side, with the scores of detectors.

import { byId, html, options, put } from "./elements.js";
import { FaultForm } from "./fault_form.js";
import { link } from "./page.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { drawScores, highest, stepAt } from "./score_chart.js";

const ASK_AGAIN = 400;
const FASTEST = 30;
const SIDES = /** @type {const} */ (["nominal", "faulty"]);

/** The replay that is shown. */
const replay = {
  /** @type {any} */ data: null,
  /** @type {Record<string, (HTMLImageElement | undefined)[]>} */ sheets: { nominal: [], faulty: [] },
  /** @type {import("./score_chart.js").View | null} */ view: null,
  step: 0,
  playing: false,
  /** When the next step is due, in milliseconds. */
  due: 0,
};
/** @type {FaultForm | null} */
let form = null;

/** @param {string} text @param {boolean} [bad] */
function say(text, bad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

// Choice of an episode

async function startSetup() {
  const address = new URLSearchParams(location.search);
  const chosen = { ...DATA.defaults, ...Object.fromEntries(address) };
  options(byId("world"), DATA.worlds.map((/** @type {any} */ each) => [each.id, each.id]), chosen.world);
  if (!byId("world").value) byId("world").value = DATA.defaults.world;
  options(byId("alarm"), DATA.alarms.map((/** @type {any} */ each) => [each.id, each.id]), chosen.alarm);
  const wanted = typeof chosen.detectors === "string" ? chosen.detectors.split(",") : chosen.detectors;
  put("detectors", ...DATA.detectors.filter((/** @type {any} */ each) => each.cost === "seconds" || wanted.includes(each.id)).map((/** @type {any} */ each) =>
    html("label", { title: each.summary }, html("input", { type: "checkbox", name: "detector", value: each.id, checked: wanted.includes(each.id) }), each.id)));
  byId("seed").value = String(chosen.seed);
  byId("onset").value = address.get("onset") ?? "";
  byId("duration").value = address.get("duration") ?? "";
  byId("world").onchange = () => showWorld();
  byId("setup").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    location.href = link("replay", chosenQuery());
  };
  await showWorld(chosen);
}

/** @param {any} [chosen] */
async function showWorld(chosen = {}) {
  const world = DATA.worlds.find((/** @type {any} */ each) => each.id === byId("world").value);
  options(byId("policy"), world.policies.map((/** @type {string} */ name) => [name, name]), chosen.policy ?? world.policies[0]);
  const found = await (await fetch(link("replay/faults", { world: world.id }))).json();
  form = new FaultForm(found.faults, found);
  if (!found.faults.some((/** @type {any} */ each) => each.id === chosen.fault)) return;
  form.choose(chosen.fault);
  const position = form.chosen.strengths.findIndex(([name]) => name === chosen.strength);
  if (position >= 0) form.setStrength(position);
}

/** @returns {Record<string, string>} */
function chosenQuery() {
  if (!form) return {};
  const detectors = [...document.querySelectorAll("input[name=detector]:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
  const given = {
    world: byId("world").value,
    policy: byId("policy").value,
    seed: byId("seed").value || "0",
    alarm: byId("alarm").value,
    fault: form.chosen.id,
    strength: String(form.strength),
    onset: byId("onset").value,
    duration: byId("duration").value,
    channels: (form.chosenChannels ?? []).join(","),
    detectors: detectors.join(","),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}

// Loading

async function load() {
  byId("progress").hidden = false;
  for (;;) {
    const answer = await fetch(`${link("replay/data")}${location.search}`);
    const data = await answer.json();
    if (answer.status === 200) return begin(data);
    if (answer.status !== 202) {
      byId("progress").hidden = true;
      byId("choice").open = true;
      return say(data.message, true);
    }
    byId("bar").value = data.share;
    byId("doing").textContent = `${data.text}…`;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN));
  }
}

/** @param {any} data */
function begin(data) {
  replay.data = data;
  byId("progress").hidden = true;
  byId("run").hidden = false;
  const { key, event, lengths, returns } = data;
  const strength = typeof key.strength === "string" ? `${key.strength} (${event.parameter})` : String(event.parameter);
  byId("headline").textContent = `${key.fault} ${strength} in ${key.world}, seed ${key.seed}`;
  for (const side of SIDES) byId(`${side}-facts`).textContent = `${lengths[side]} steps, return ${shown(returns[side], 2)}`;
  byId("share").href = `${link("replay")}?${data.query}`;
  byId("inject-live").href = link("live", { world: key.world, policy: key.policy, detectors: key.detectors.join(",") });
  const length = Math.max(lengths.nominal, lengths.faulty);
  byId("scrubber").max = String(length - 1);
  replay.view = view(data, length);
  put("legend", ...data.detectors.map((/** @type {any} */ each) => html("li", { title: each.guarantee }, html("span", { class: "dot", "--own": each.colour }), each.id)));
  loadSheets(data);
  startPlayer(length);
  show(Math.min(data.onset ?? 0, length - 1));
  addEventListener("resize", () => show(replay.step));
}

/** @param {any} data @param {number} length @returns {import("./score_chart.js").View} */
function view(data, length) {
  const points = (/** @type {number[]} */ values) => values.map((value, n) => /** @type {[number, number]} */ ([n, value]));
  const faulty = data.detectors.map((/** @type {any} */ each) => ({ label: each.id, colour: each.colour, points: points(each.relative.faulty) }));
  const nominal = data.detectors.map((/** @type {any} */ each) => ({ label: each.id, colour: each.colour, points: points(each.relative.nominal), faint: true }));
  const lines = [];
  if (data.onset !== null) lines.push({ n: data.onset, label: data.effective_onset === data.onset ? "onset, first effect" : "onset" });
  if (data.effective_onset !== null && data.effective_onset !== data.onset) lines.push({ n: data.effective_onset, label: "first effect", dashed: true });
  const series = [...faulty, ...nominal];
  return {
    from: 0, to: Math.max(length - 1, 1), series, lines, shaded: intervals(data.active), top: highest(series, 0),
    alarms: data.detectors.flatMap((/** @type {any} */ each, /** @type {number} */ k) => (each.first_alarm.faulty === null ? [] : [{ n: each.first_alarm.faulty, series: k }])),
  };
}

/** @param {number[]} active @returns {[number, number][]} */
function intervals(active) {
  /** @type {[number, number][]} */
  const found = [];
  active.forEach((on, n) => {
    if (on && !active[n - 1]) found.push([n, n + 1]);
    else if (on) found[found.length - 1][1] = n + 1;
  });
  return found;
}

/** @param {any} data */
function loadSheets(data) {
  const { columns, rows } = data.sheet;
  for (const side of SIDES) {
    const count = Math.ceil((data.lengths[side] + 1) / (columns * rows));
    for (let k = 0; k < count; k++) {
      const image = new Image();
      image.onload = () => {
        replay.sheets[side][k] = image;
        show(replay.step);
      };
      image.src = `${link("replay")}/${side}/${k}.webp?${data.query}`;
    }
  }
}

// Player

/** @param {number} length */
function startPlayer(length) {
  const seek = (/** @type {number} */ step) => show(Math.min(Math.max(Math.round(step), 0), length - 1));
  byId("scrubber").oninput = () => seek(Number(byId("scrubber").value));
  byId("first").onclick = () => seek(0);
  byId("last").onclick = () => seek(length - 1);
  byId("back").onclick = () => seek(replay.step - 1);
  byId("forward").onclick = () => seek(replay.step + 1);
  byId("play").onclick = () => setPlaying(!replay.playing, length);
  const chart = byId("scores");
  const point = (/** @type {PointerEvent} */ event) => seek(stepAt(chart, /** @type {any} */ (replay.view), event.clientX - chart.getBoundingClientRect().left));
  chart.onpointerdown = (/** @type {PointerEvent} */ event) => {
    chart.setPointerCapture(event.pointerId);
    point(event);
  };
  chart.onpointermove = (/** @type {PointerEvent} */ event) => event.buttons && point(event);
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
    const far = event.shiftKey ? 10 : 1;
    /** @type {Record<string, () => void>} */
    const keys = { ArrowLeft: () => seek(replay.step - far), ArrowRight: () => seek(replay.step + far), Home: () => seek(0), End: () => seek(length - 1) };
    if (event.key === " " && !target.closest("button, summary, a")) keys[" "] = () => setPlaying(!replay.playing, length);
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
}

/** @param {boolean} playing @param {number} length */
function setPlaying(playing, length) {
  if (playing && replay.step >= length - 1) show(0);
  replay.playing = playing;
  replay.due = performance.now();
  byId("play").textContent = playing ? "Pause" : "Play";
  byId("play").setAttribute("aria-pressed", String(playing));
  if (playing) requestAnimationFrame((now) => advance(now, length));
}

/** @param {number} now @param {number} length */
function advance(now, length) {
  if (!replay.playing) return;
  const pace = Math.min(1 / replay.data.dt, FASTEST) * Number(byId("speed").value);
  const steps = Math.floor(((now - replay.due) / 1000) * pace);
  if (steps > 0) {
    replay.due += (steps / pace) * 1000;
    show(Math.min(replay.step + steps, length - 1));
  }
  if (replay.step >= length - 1) setPlaying(false, length);
  else requestAnimationFrame((later) => advance(later, length));
}

/** Shows the state after a transition. @param {number} step */
function show(step) {
  const { data } = replay;
  replay.step = step;
  byId("scrubber").value = String(step);
  const active = Boolean(data.active[Math.min(step, data.active.length - 1)]);
  byId("scrubber").setAttribute("aria-valuetext", `step ${step}, fault ${active ? "on" : "off"}`);
  for (const side of SIDES) drawFrame(side, Math.min(step + 1, data.lengths[side]));
  byId("faulty-side").classList.toggle("active", active);
  byId("step").textContent = String(step);
  byId("state").textContent = active ? "on" : "off";
  byId("difference").textContent = step < data.divergence.length ? String(Number(data.divergence[step].toPrecision(3))) : "–";
  put("rows", ...data.detectors.map((/** @type {any} */ each) => row(each, step)));
  if (replay.view) drawScores(byId("scores"), { ...replay.view, cursor: step });
}

/** @param {any} detector @param {number} step */
function row(detector, step) {
  const values = detector.relative.faulty;
  const value = values[Math.min(step, values.length - 1)];
  return html("tr", { class: value > 1 ? "raised" : null },
    html("th", { scope: "row" }, html("span", { class: "dot", "--own": detector.colour }), detector.id),
    html("td", {}, shown(value, 2)), html("td", {}, detector.first_alarm.faulty === null ? "–" : String(detector.first_alarm.faulty)),
    html("td", {}, detector.delay === null ? "missed" : String(detector.delay)));
}

/** @param {"nominal" | "faulty"} side @param {number} frame */
function drawFrame(side, frame) {
  const { size, columns, rows } = replay.data.sheet;
  const sheet = replay.sheets[side][Math.floor(frame / (columns * rows))];
  if (!sheet) return;
  const place = frame % (columns * rows);
  const context = byId(side).getContext("2d");
  context.drawImage(sheet, (place % columns) * size, Math.floor(place / columns) * size, size, size, 0, 0, size, size);
}

startSetup();
if (new URLSearchParams(location.search).has("fault")) load();
else byId("choice").open = true;
