// The detectors that figures and heat maps show; the reader hides others by the legends.

import { fromAddress, toAddress } from "./address.js";
import { isBaseline } from "./detectors.js";
import { byId, html } from "./elements.js";
import { DATA } from "./page_data.js";

const hidden = new Set((fromAddress("hide") ?? "").split("\n").filter((name) => DATA.names.includes(name)));
let changed = () => {};

/** Numbers of the detectors that are not hidden. */
export const visible = () => DATA.names.map((_, index) => index).filter((index) => !hidden.has(DATA.names[index]));
export const visibleNames = () => visible().map((index) => DATA.names[index]);

/** Calls a function after a detector was hidden or shown. */
export function onVisible(watcher) {
  changed = watcher;
}

function keep() {
  toAddress({ hide: [...hidden].join("\n") });
}

/** Shows all detectors. */
export function showAll() {
  hidden.clear();
  keep();
}

/** Returns a legend of buttons that show and hide detectors. */
export function detectorLegend() {
  const entries = DATA.names.map((name, place) => {
    const toggle = (event) => {
      if (hidden.has(name)) hidden.delete(name);
      else if (visible().length > 1) hidden.add(name);
      keep();
      const { id } = event.currentTarget.closest("figure");
      changed();
      byId(id).querySelectorAll(".legend button")[place]?.focus();
    };
    const mark = html("span", { class: "dot", "aria-hidden": "true" });
    const button = html("button", { type: "button", class: isBaseline(name) ? "plain baseline" : "plain", "--own": DATA.colours[name], "aria-pressed": String(!hidden.has(name)), onclick: toggle }, mark, name);
    return html("li", {}, button);
  });
  return html("ul", { class: "legend toggles", "aria-label": "Detectors: press to show or hide" }, entries);
}
