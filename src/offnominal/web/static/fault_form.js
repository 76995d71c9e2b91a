// The choice of a fault: anomaly, strength on a scale of named levels, channels and duration.

import { byId, html, put } from "./elements.js";

/**
 * @typedef {object} FaultChoice
 * @property {string} id
 * @property {string} target
 * @property {string} summary
 * @property {string} formula
 * @property {string} symbol
 * @property {string} unit
 * @property {boolean} integer
 * @property {boolean} channels
 * @property {[string, number][]} strengths from none to the strongest
 */

const TARGETS = { observation: "Observation", action: "Action", dynamics: "Dynamics", camera: "Camera" };

export class FaultForm {
  /**
   * @param {FaultChoice[]} faults
   * @param {{ observation: string[], action: string[] }} channels
   */
  constructor(faults, channels) {
    this.faults = faults;
    this.channels = channels;
    const groups = Object.entries(TARGETS).map(([target, label]) => {
      const entries = faults.filter((each) => each.target === target);
      return entries.length && html("optgroup", { label }, entries.map(({ id }) => html("option", { value: id }, id.split("/")[1].replaceAll("_", " "))));
    });
    put("anomaly", ...groups);
    byId("anomaly").onchange = () => this.choose(byId("anomaly").value);
    byId("strength").oninput = () => this.showStrength();
    byId("channel-boxes").onchange = () => this.showChannels();
    const first = faults.find(({ id }) => id === "observation/offset") ?? faults[0];
    this.choose(first.id);
  }

  /** @returns {FaultChoice} */
  get chosen() {
    return /** @type {FaultChoice} */ (this.faults.find(({ id }) => id === byId("anomaly").value));
  }

  /** @param {string} id */
  choose(id) {
    byId("anomaly").value = id;
    const { strengths, summary, formula, target, channels } = this.chosen;
    byId("anomaly-summary").textContent = `${summary}${formula && !summary.includes(formula) ? ` (${formula})` : ""}`;
    const slider = byId("strength");
    slider.max = String(strengths.length - 1);
    slider.value = String(Math.max(1, strengths.findIndex(([name]) => name === "strong")));
    put("stops", ...strengths.map(([name], k) => html("button", { type: "button", class: "plain", onclick: () => this.setStrength(k) }, name)));
    const names = channels ? this.channels[/** @type {"observation" | "action"} */ (target)] : [];
    byId("channel-choice").hidden = !names.length;
    put("channel-boxes", ...names.map((name, k) => html("label", {}, html("input", { type: "checkbox", value: String(k) }), name)));
    this.showStrength();
    this.showChannels();
  }

  /** @param {number} position */
  setStrength(position) {
    byId("strength").value = String(position);
    this.showStrength();
  }

  /** Returns the parameter at the position of the slider: linear between the levels. */
  get parameter() {
    const { strengths, integer } = this.chosen;
    const position = Number(byId("strength").value);
    const below = Math.min(Math.floor(position), strengths.length - 2);
    const share = position - below;
    const value = strengths[below][1] * (1 - share) + strengths[below + 1][1] * share;
    return integer ? Math.round(value) : Number(value.toPrecision(5));
  }

  /** @returns {string | number} the name of a level, or the parameter between two levels */
  get strength() {
    const position = Number(byId("strength").value);
    const name = Number.isInteger(position) ? this.chosen.strengths[position][0] : "";
    return name && !["none", "typical"].includes(name) ? name : this.parameter;
  }

  get chosenChannels() {
    const boxes = [...byId("channel-boxes").querySelectorAll("input")];
    const chosen = boxes.filter((box) => box.checked).map((box) => Number(box.value));
    return chosen.length && chosen.length < boxes.length ? chosen : null;
  }

  showStrength() {
    const { symbol, unit } = this.chosen;
    const named = typeof this.strength === "string" ? `${this.strength}: ` : "";
    const text = `${named}${symbol} = ${this.parameter}${unit ? ` ${unit}` : ""}`;
    byId("strength-shown").textContent = text;
    byId("strength").setAttribute("aria-valuetext", text);
  }

  showChannels() {
    const chosen = this.chosenChannels;
    byId("channel-summary").textContent = chosen ? `Channels: ${chosen.length} chosen` : "Channels: all";
  }
}
