// Short texts beside the pointer, the finger or the focus: [data-tip] says what they are.

import { byId, clamp, html } from "./elements.js";

/** Returns a button that says what a label means. */
export function tipButton(label, text) {
  return html("button", { type: "button", class: "tip", "aria-label": `Definition of ${label}`, "data-tip": text }, "?");
}

let lastTipped = null;

function showTip(node) {
  lastTipped = node;
  const tip = byId("tip");
  tip.textContent = node.dataset.tip;
  if (!tip.matches(":popover-open")) tip.showPopover();
  const box = node.getBoundingClientRect();
  const width = document.documentElement.clientWidth;
  const left = clamp(box.left + box.width / 2 - tip.offsetWidth / 2, 8, Math.max(width - tip.offsetWidth - 8, 8));
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
  for (const marked of document.querySelectorAll(".tipped-now")) marked.classList.remove("tipped-now");
  if (node instanceof SVGElement) node.classList.add("tipped-now");
}

function hideTip() {
  const tip = byId("tip");
  if (tip.matches(":popover-open")) tip.hidePopover();
  for (const marked of document.querySelectorAll(".tipped-now")) marked.classList.remove("tipped-now");
}

// The marks of a figure are one stop of the keyboard: arrow keys go from mark to mark.
function moveMark(svg, event) {
  const marks = [...svg.querySelectorAll("[data-tip]")];
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!marks.length || (!step && event.key !== "Enter")) return;
  event.preventDefault();
  const now = marks.indexOf(lastTipped);
  if (event.key === "Enter") return marks[now]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  showTip(marks[now < 0 ? 0 : (now + step + marks.length) % marks.length]);
}

/** Starts the texts of a page, which has an element #tip for them. */
export function startTips() {
  const found = (event) => event.target.closest?.("[data-tip]");
  document.addEventListener("pointerover", (event) => (found(event) && event.pointerType === "mouse" ? showTip(found(event)) : null));
  document.addEventListener("pointerout", (event) => (found(event) && event.pointerType === "mouse" ? hideTip() : null));
  document.addEventListener("click", (event) => (found(event) ? showTip(found(event)) : hideTip()));
  document.addEventListener("focusin", (event) => (event.target.matches(":is(button, a)[data-tip]") ? showTip(event.target) : null));
  document.addEventListener("focusout", hideTip);
  document.addEventListener("scroll", hideTip, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
    if (event.target instanceof SVGElement) moveMark(event.target, event);
  });
}
