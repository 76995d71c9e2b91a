// The live monitor: choice of a run, the run itself, faults, evidence and alarms.

import { fromAddress, toAddress } from "./address.js";
import { drawChannels } from "./channel_strip.js";
import { byId, html, options, put } from "./elements.js";
import { FaultForm } from "./fault_form.js";
import { Connection } from "./live_connection.js";
import { link } from "./page.js";
import { DATA } from "./page_data.js";
import { shown } from "./rounding.js";
import { drawScores, highest } from "./score_chart.js";

const WINDOW = 300;
const LOGGED = 60;
const STILL_INTERVAL = 500;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** State of the run that is shown. */
const live = {
  /** @type {any} */ hello: null,
  /** @type {any} */ settings: null,
  /** @type {string | null} */ run: fromAddress("run"),
  /** @type {import("./score_chart.js").Series[]} */ series: [],
  /** @type {{ n: number, deviations: number[] }[]} */ channels: [],
  /** @type {{ id: number, from: number, to: number }[]} */ faults: [],
  /** @type {{ n: number, label: string, dashed: boolean }[]} */ episodes: [],
  /** @type {{ n: number, series: number }[]} */ alarms: [],
  /** @type {any} */ last: null,
  /** @type {FaultForm | null} */ form: null,
  joining: false,
  /** @type {string | null} */ lost: null,
  paused: false,
  rate: 30,
  arrived: 0,
  head: 0,
  top: 1.35,
  drawn: 0,
  /** @type {number[]} */ times: [],
};

const connection = new Connection({
  open: () => {
    live.joining = live.run !== null;
    connection.send(live.run ? { type: "join", run: live.run } : { type: "start", settings: live.settings });
  },
  message: receive,
  picture: (blob) => showPicture(blob),
  lost: (seconds) => {
    showLost("no connection");
    say(`Connection lost. Next attempt in ${seconds} s.`, true);
  },
});

/** @param {string} text @param {boolean} [bad] */
function say(text, bad = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("bad", bad);
}

// Choice of a run

function startSetup() {
  const defaults = DATA.defaults;
  const chosen = { ...defaults, ...Object.fromEntries(new URLSearchParams(location.search)) };
  options(byId("world"), DATA.worlds.map((/** @type {any} */ each) => [each.id, each.id]), chosen.world);
  if (!byId("world").value) byId("world").value = defaults.world;
  options(byId("alarm"), DATA.alarms.map((/** @type {any} */ each) => [each.id, `${each.id}: ${each.summary}`]), chosen.alarm);
  const wanted = typeof chosen.detectors === "string" ? chosen.detectors.split(",") : chosen.detectors;
  const box = (/** @type {any} */ each) =>
    html("label", { title: each.summary }, html("input", { type: "checkbox", name: "detector", value: each.id, checked: wanted.includes(each.id) }), each.id);
  const quick = (/** @type {any} */ each) => each.cost === "seconds" && !each.images;
  put("detectors", ...DATA.detectors.filter(quick).map(box));
  const others = DATA.detectors.filter((/** @type {any} */ each) => !quick(each));
  put("more-detectors", html("p", { class: "note" }, "These train a network or score images; the first start takes minutes, later ones seconds."), ...others.map(box));
  byId("seed").value = String(chosen.seed);
  byId("world").onchange = showWorld;
  showWorld();
  if (chosen.policy) byId("policy").value = chosen.policy;
  if (chosen.fallback) byId("fallback").value = chosen.fallback;
  byId("setup").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    start();
  };
}

function showWorld() {
  const world = DATA.worlds.find((/** @type {any} */ each) => each.id === byId("world").value);
  options(byId("policy"), world.policies.map((/** @type {string} */ name) => [name, name]), world.policies[0]);
  options(byId("fallback"), world.fallbacks.map((/** @type {string} */ name) => [name, name]), "none");
  byId("world-summary").textContent = `${world.id}: ${world.summary}.`;
}

function start() {
  const detectors = [...document.querySelectorAll("input[name=detector]:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
  if (!detectors.length) return say("Choose at least one detector.", true);
  live.settings = {
    world: byId("world").value,
    policy: byId("policy").value,
    detectors,
    alarm: byId("alarm").value,
    fallback: byId("fallback").value,
    seed: Number(byId("seed").value),
    rate: Number(byId("rate").value),
  };
  live.run = null;
  const { world, policy, alarm, fallback, seed } = live.settings;
  toAddress({ world, policy, alarm, fallback, seed: String(seed), detectors: detectors.join(","), run: null });
  say("");
  showProgress({ text: "Starting", share: 0 });
  connection.close();
  connection.open();
}

// Messages of the server

/** @type {Record<string, (message: any) => void>} */
const receivers = {
  progress: showProgress,
  hello: begin,
  state: showState,
  step: addStep,
  episode: (message) => {
    if (live.episodes.at(-1)?.n !== message.n) live.episodes.push({ n: message.n, label: `episode ${message.episode}`, dashed: true });
  },
  fault: showFault,
  alarm: showAlarm,
  evidence: showEvidence,
  error: showError,
  ended: () => {
    connection.close();
    showLost("ended");
    live.run = null;
    toAddress({ run: null });
    byId("setup").hidden = false;
    byId("progress").hidden = true;
    if (!byId("status").classList.contains("bad")) say("The run has ended.");
  },
};

/** @param {any} message */
function receive(message) {
  receivers[message.type]?.(message);
}

/** @param {{ text: string, share: number }} message */
function showProgress({ text, share }) {
  byId("progress").hidden = false;
  byId("bar").value = share;
  byId("doing").textContent = `${text}…`;
}

/** @param {{ error: string, message: string }} message */
function showError(message) {
  say(message.message, true);
  if (live.joining) {
    // The run has ended: after a lost connection start one like it, else let people choose.
    live.joining = false;
    live.run = null;
    toAddress({ run: null });
    if (live.settings) return connection.send({ type: "start", settings: live.settings });
    connection.close();
  }
  if (!live.hello) byId("progress").hidden = true;
}

/**
 * Shows why nothing on the page is present any more, or by null that it is again.
 * @param {string | null} reason
 */
function showLost(reason) {
  live.lost = reason;
  byId("run").classList.toggle("lost", reason !== null);
  for (const button of byId("run").querySelectorAll("button:not(#stop)")) button.disabled = reason !== null;
  if (live.last) showMeters();
  put("running-faults");
  for (const each of live.faults) each.to = Math.min(each.to, live.last?.n ?? each.from);
}

/** @param {any} hello */
function begin(hello) {
  const isSame = live.hello?.run === hello.run;
  live.hello = hello;
  live.run = hello.run;
  live.joining = false;
  live.settings = hello.settings;
  toAddress({ run: hello.run });
  byId("share").href = link("live", { run: hello.run });
  byId("progress").hidden = true;
  byId("setup").hidden = true;
  byId("run").hidden = false;
  say(`${hello.settings.world}, ${hello.settings.policy} policy, ${hello.settings.alarm} alarm.`);
  showLost(null);
  // The server tells faults and alarms again.
  put("log");
  Object.assign(live, { faults: [], alarms: [] });
  byId("clear").disabled = true;
  if (isSame) return;
  Object.assign(live, { channels: [], episodes: [], last: null, head: 0 });
  live.series = hello.detectors.map((/** @type {any} */ each) => ({ label: each.id, colour: each.colour, points: [] }));
  live.form = new FaultForm(hello.faults, hello);
  put("evidence");
  byId("log-note").hidden = false;
  put("legend", ...hello.detectors.map((/** @type {any} */ each) => html("li", { title: each.guarantee }, html("span", { class: "dot", "--own": each.colour }), each.id)));
  put("explain", "Explain now:", ...hello.detectors.map((/** @type {any} */ each, /** @type {number} */ k) =>
    html("button", { type: "button", class: "small", onclick: () => connection.send({ type: "explain", detector: k }) }, each.id)));
  byId("channels").style.height = `${Math.max(48, Math.min(hello.observation.length * 5, 130))}px`;
  requestAnimationFrame(draw);
}

/** @param {{ paused: boolean, rate: number }} state */
function showState({ paused, rate }) {
  live.paused = paused;
  live.rate = rate;
  const button = byId("pause");
  button.firstChild.textContent = paused ? "Resume " : "Pause ";
  button.setAttribute("aria-pressed", String(paused));
  byId("rate").value = String(rate);
  byId("rate-shown").textContent = `${rate} steps/s`;
}

/** @param {any} step */
function addStep(step) {
  const { mean, scale } = live.hello;
  live.last = step;
  live.arrived = performance.now();
  live.times.push(live.arrived);
  if (live.times.length > 60) live.times.shift();
  step.relative.forEach((/** @type {number} */ value, /** @type {number} */ k) => {
    const { points } = live.series[k];
    points.push([step.n, value]);
    if (points.length > WINDOW + 20) points.splice(0, points.length - WINDOW - 20);
  });
  live.channels.push({
    n: step.n,
    deviations: step.observation.map((/** @type {number} */ value, /** @type {number} */ k) => (value - mean[k]) / (scale[k] || 1)),
  });
  if (live.channels.length > WINDOW + 20) live.channels.shift();
  for (const list of [live.episodes, live.alarms]) while (list.length && list[0].n < step.n - WINDOW - 20) list.shift();
  live.faults = live.faults.filter(({ to }) => to > step.n - WINDOW - 20);
}

// Faults, alarms and evidence

/** @param {any} fault */
function showFault(fault) {
  if (fault.state === "on") {
    live.faults.push({ id: fault.id, from: fault.n, to: Infinity });
    const strength = typeof fault.strength === "string" ? `${fault.strength}, ${fault.parameter}` : shown(fault.parameter, 4);
    const clear = html("button", { type: "button", onclick: () => connection.send({ type: "clear", id: fault.id }) }, "Clear");
    byId("running-faults").append(html("li", { id: `fault-${fault.id}` }, html("span", {}, html("strong", {}, fault.anomaly), ` ${strength}`), clear));
    if (!fault.recalled) say(`Fault on: ${fault.anomaly} (${strength}).`);
  } else {
    for (const each of live.faults) if (each.id === fault.id) each.to = fault.n;
    document.getElementById(`fault-${fault.id}`)?.remove();
    say(`Fault off: ${fault.anomaly}.`);
  }
  byId("clear").disabled = !byId("running-faults").children.length;
}

/** @param {any} alarm */
function showAlarm(alarm) {
  const { id, colour } = live.hello.detectors[alarm.detector];
  live.alarms.push({ n: alarm.n, series: alarm.detector });
  const what = alarm.false ? html("span", { class: "false" }, "false alarm") : alarm.anomaly ?? "after the fault";
  byId("log").prepend(html("tr", {},
    html("th", { scope: "row" }, html("span", { class: "dot", "--own": colour }), id),
    html("td", {}, String(alarm.episode)), html("td", {}, String(alarm.t)),
    html("td", {}, alarm.delay === null ? "–" : String(alarm.delay)), html("td", { class: "left" }, what)));
  while (byId("log").children.length > LOGGED) byId("log").lastElementChild.remove();
  byId("log-note").hidden = true;
  if (alarm.recalled) return;
  const delay = alarm.delay === null ? "" : `, ${alarm.delay} steps after the onset`;
  say(`Alarm of ${id}${alarm.false ? " without a fault" : delay}.`);
}

/** @param {any} evidence */
function showEvidence(evidence) {
  const { id, colour } = live.hello.detectors[evidence.detector];
  byId("evidence-title").textContent = `Evidence of ${id}`;
  byId("evidence-note").textContent = evidence.channels.length
    ? `Part of each channel in the score at step ${evidence.t} (${evidence.method}).`
    : `${id} scores images, which have no channels.`;
  const largest = evidence.channels[0]?.share ?? 1;
  put("evidence", ...evidence.channels.map((/** @type {any} */ each) =>
    html("li", { "--share": `${(100 * each.share) / largest}%`, "--own": colour },
      html("span", { class: "name" }, each.name), html("span", { class: "bar", "aria-hidden": "true" }), html("span", { class: "value" }, `${Math.round(100 * each.share)} %`))));
}

// Drawing

/** @param {Blob} blob */
async function showPicture(blob) {
  const image = await createImageBitmap(blob);
  const canvas = byId("world-image");
  if (canvas.width !== image.width) [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  image.close();
}

/** @param {number} now */
function draw(now) {
  if (byId("run").hidden) return;
  requestAnimationFrame(draw);
  if (!live.last || (still.matches && now - live.drawn < STILL_INTERVAL)) return;
  live.drawn = now;
  const ahead = still.matches || live.paused ? 0 : Math.min(((now - live.arrived) / 1000) * live.rate, 1);
  const target = live.last.n + ahead;
  live.head = Math.abs(target - live.head) > 20 || still.matches ? target : Math.max(live.head, live.head + 0.5 * (target - live.head));
  const to = Math.max(live.head, WINDOW);
  const from = to - WINDOW;
  const top = highest(live.series, from);
  live.top = still.matches ? top : live.top + 0.12 * (top - live.top);
  drawScores(byId("scores"), {
    from, to, series: live.series, lines: live.episodes, alarms: live.alarms, top: live.top,
    shaded: live.faults.map((each) => [each.from, Math.min(each.to, live.head)]),
  });
  drawChannels(byId("channels"), live.channels, from, to);
  showMeters();
}

function showMeters() {
  const { last, times } = live;
  const raised = last.raised.some(Boolean);
  const state = live.lost ? "lost" : raised ? "alarm" : last.active ? "fault" : "nominal";
  const badge = byId("badge");
  if (badge.dataset.state !== state || badge.dataset.over !== String(last.handed_over)) {
    badge.dataset.state = state;
    badge.dataset.over = String(last.handed_over);
    const text = { alarm: "alarm", fault: "fault on", nominal: "nominal", lost: live.lost }[state];
    badge.textContent = text + (last.handed_over && !live.lost ? " · fallback acts" : "");
  }
  byId("episode").textContent = String(last.episode);
  byId("step").textContent = String(last.t);
  byId("return").textContent = shown(last.return, 1);
  const seconds = (times[times.length - 1] - times[0]) / 1000;
  byId("measured").textContent = live.paused || seconds <= 0 ? "–" : ((times.length - 1) / seconds).toFixed(0);
}

// Orders

const togglePause = () => connection.send({ type: live.paused ? "resume" : "pause" });
const inject = () => {
  if (!live.form) return;
  const duration = byId("duration").value;
  connection.send({
    type: "fault",
    anomaly: live.form.chosen.id,
    strength: live.form.strength,
    channels: live.form.chosenChannels,
    duration: duration ? Number(duration) : null,
  });
};
const clear = () => connection.send({ type: "clear" });

function startOrders() {
  byId("pause").onclick = togglePause;
  byId("clear").onclick = clear;
  byId("reset").onclick = () => connection.send({ type: "reset" });
  byId("stop").onclick = () => {
    connection.close();
    live.run = live.hello = null;
    toAddress({ run: null });
    byId("run").hidden = true;
    byId("setup").hidden = false;
    say("");
  };
  byId("rate").oninput = () => (byId("rate-shown").textContent = `${byId("rate").value} steps/s`);
  byId("rate").onchange = () => connection.send({ type: "rate", rate: Number(byId("rate").value) });
  byId("fault-form").onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    inject();
  };
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (byId("run").hidden || live.lost || event.ctrlKey || event.metaKey || event.altKey || target.closest("input[type=number], select")) return;
    if (event.key === " " && !target.closest("button, summary, a, input")) {
      event.preventDefault();
      if (!event.repeat) togglePause();
    } else if (event.repeat) return;
    else if (event.key.toLowerCase() === "f") inject();
    else if (event.key.toLowerCase() === "c") clear();
  });
}

startSetup();
startOrders();
if (live.run) {
  showProgress({ text: "Joining the run", share: 0 });
  connection.open();
}
