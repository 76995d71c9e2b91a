// The page of a monitor of many robots: scores, alarms with orders of the operator, events.

import { byId, html, options, put } from "./elements.js";
import { Connection } from "./live_connection.js";
import { drawScores, highest } from "./score_chart.js";
import { startTheme } from "./theme.js";

const POINTS = 600;
const EVENTS = 100;
const REFRESH = 5000;
const LEARNED = /^(confirmed|recalibrat)/;

/** @type {any} */
let now = { robots: [], events: [], counts: {}, threshold: 1 };
let chosen = "";
let stale = true;
const shown = {};

const robotNamed = (name) => now.robots.find((each) => each.robot === name);

function fromSnapshot(message) {
  now = message;
  if (!robotNamed(chosen)) chosen = now.robots[0]?.robot ?? "";
  fillRobots();
  paint();
}

function fromScore(message) {
  let robot = robotNamed(message.robot);
  if (!robot) {
    robot = { robot: message.robot, alarms: [], curve: [] };
    now.robots.push(robot);
    chosen ||= message.robot;
    fillRobots();
  }
  robot.threshold = message.threshold;
  robot.curve.push([message.time, message.statistic]);
  if (robot.curve.length > POINTS) robot.curve.shift();
  now.counts.scored = (now.counts.scored ?? 0) + 1;
  stale = true;
}

function fromEvent(event) {
  now.events.push(event);
  if (now.events.length > EVENTS) now.events.shift();
  if (!event.robot || LEARNED.test(event.kind)) {
    ask();
    return;
  }
  const robot = robotNamed(event.robot);
  if (robot) {
    robot.alarms = robot.alarms.filter((each) => each.alarm !== event.alarm);
    if (event.state !== "normal" || event.shelved)
      robot.alarms.push({ alarm: event.alarm, state: event.state, priority: event.priority, shelved_until: event.shelved ? 1 : null, chattering: event.kind === "chattering" });
  }
  stale = true;
}

/** Asks for the state anew, as after a change of the model. */
async function ask() {
  const answer = await fetch("state");
  if (answer.ok) fromSnapshot(await answer.json());
}

function fillRobots() {
  options(byId("robot"), now.robots.map(({ robot }) => [robot, robot]), chosen);
}

async function order(path, data) {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(data) });
  if (!answer.ok) byId("status").textContent = (await answer.json()).error;
}

function paint() {
  stale = false;
  byId("name").textContent = now.name ?? "Monitor";
  byId("model").textContent = now.model ? `${now.detector}, ${now.alarm}, model ${now.model}` : "";
  byId("guarantee").textContent = now.guarantee ? `Guarantee: ${now.guarantee}` : "";
  const facts = [
    [now.robots.length, "robots"],
    [now.counts.scored ?? 0, "scores"],
    [`${now.alarms_in_window ?? 0}${now.flood ? " – flood" : ""}`, `alarms in ${now.window_minutes ?? 10} minutes`],
    [(now.counts.lost ?? 0) + (now.counts.refused ?? 0), "samples lost or refused"],
  ];
  put("facts", ...facts.map(([value, label]) => html("div", {}, html("dt", {}, label), html("dd", {}, String(value)))));
  paintScores();
  paintLearning();
  paintAlarms();
  paintEvents();
}

/** What the operator can tell the alarm of the chosen robot, and how far that is. */
function paintLearning() {
  const robot = robotNamed(chosen);
  if (!robot) return;
  const button = (label, path, data = {}) =>
    html("button", { type: "button", class: "small", onclick: () => order(path, { robot: chosen, ...data }) }, label);
  const orders = [];
  if (robot.waiting !== null && robot.waiting !== undefined)
    orders.push(`${robot.waiting} units wait for a confirmation: `, button("Nominal", "confirm", { nominal: true }), button("Faulty", "confirm", { nominal: false }));
  const begun = robot.record;
  if (begun) {
    const amount = `Since the maintenance ${begun.episodes} episodes, ${begun.scores} scores${begun.full ? " (full)" : ""}: `;
    orders.push(amount, button("Recalibrate", "recalibration/use"));
  } else orders.push(button("Begin recalibration", "recalibration/begin"));
  if (begun || robot.recalibrated) orders.push(button("Undo", "recalibration/undo"));
  putIfNew("learning", JSON.stringify([chosen, robot.waiting, begun, robot.recalibrated]), () => orders);
}

function paintScores() {
  const robot = robotNamed(chosen);
  const curve = robot?.curve ?? [];
  const threshold = robot?.threshold ?? now.threshold;
  const scale = Math.abs(threshold) || 1;
  const points = curve.map(([, statistic], place) => [place, 1 + (statistic - threshold) / scale]);
  const series = [{ label: chosen, colour: "#1f76ad", points }];
  const to = Math.max(points.length - 1, 20);
  const begin = curve[0]?.[0] ?? 0;
  drawScores(byId("scores"), {
    from: 0,
    to,
    series,
    shaded: [],
    lines: [],
    alarms: points.filter(([, height], place) => height > 1 && !(points[place - 1]?.[1] > 1)).map(([n]) => ({ n, series: 0 })),
    top: highest(series, 0),
    step: (n) => (curve[n] ? `${(curve[n][0] - begin).toFixed(1)} s` : ""),
  });
}

function paintAlarms() {
  const rows = now.robots.flatMap(({ robot, alarms }) => alarms.map((each) => ({ robot, ...each })));
  const rank = ["active", "cleared", "acknowledged", "normal"];
  rows.sort((a, b) => rank.indexOf(a.state) - rank.indexOf(b.state));
  const none = () => [html("tr", {}, html("td", { colspan: 5, class: "left" }, "There are no alarms."))];
  putIfNew("alarms", JSON.stringify(rows), () => (rows.length ? rows.slice(0, 200).map(alarmRow) : none()));
}

/** Puts elements only if what they show is new: a button that is replaced while it is pressed is not clicked. */
function putIfNew(id, state, elements) {
  if (shown[id] === state) return;
  shown[id] = state;
  put(id, ...elements());
}

function alarmRow({ robot, alarm, state, priority, shelved_until, chattering }) {
  const which = { robot, alarm };
  const words = [state, shelved_until && "shelved", chattering && "chattering"].filter(Boolean).join(", ");
  const orders = [
    ["active", "cleared"].includes(state) && html("button", { type: "button", class: "small", onclick: () => order("alarms/acknowledge", which) }, "Acknowledge"),
    shelved_until
      ? html("button", { type: "button", class: "small", onclick: () => order("alarms/unshelve", which) }, "Unshelve")
      : html("button", { type: "button", class: "small", onclick: () => order("alarms/shelve", { ...which, seconds: 3600 }) }, "Shelve 1 h"),
  ];
  return html(
    "tr",
    { class: state },
    html("th", { scope: "row", class: "left" }, robot),
    html("td", { class: "left" }, alarm),
    html("td", { class: "left state" }, words),
    html("td", { class: "left" }, priority),
    html("td", { class: "left" }, ...orders),
  );
}

function paintEvents() {
  const rows = [...now.events].reverse().map((event) =>
    html(
      "tr",
      {},
      html("td", { class: "left" }, event.wall.slice(11, 23)),
      html("td", { class: "left" }, event.robot ?? ""),
      html("td", { class: "left" }, event.alarm ?? ""),
      html("td", { class: "left" }, event.kind.replaceAll("_", " ")),
      html("td", { class: "left" }, evidence(event)),
    ),
  );
  put("events", ...rows);
}

function evidence(event) {
  const channels = Object.entries(event.evidence ?? {}).map(([name, part]) => `${name} ${part.toPrecision(3)}`);
  if (channels.length) return channels.join(", ");
  return event.value === undefined ? "" : String(Number(event.value.toPrecision(4)));
}

const handlers = { snapshot: fromSnapshot, score: fromScore, event: fromEvent };
const connection = new Connection({
  message: (message) => handlers[message.type]?.(message),
  picture: () => {},
  open: () => put("status", "Connected."),
  lost: (seconds) => put("status", `The connection is lost; next attempt in ${seconds} s.`),
});

startTheme();
byId("robot").addEventListener("change", () => {
  chosen = byId("robot").value;
  paint();
});
const frame = () => {
  if (stale) paint();
  requestAnimationFrame(frame);
};
addEventListener("resize", () => (stale = true));
// Scores and events do not say how far a recalibration is, or how much waits for a confirmation.
setInterval(() => {
  const robot = robotNamed(chosen);
  if (robot?.record || (robot?.waiting ?? null) !== null) ask();
}, REFRESH);
connection.open();
frame();
