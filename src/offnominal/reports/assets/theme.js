// Light and dark colours: those of the system until the reader chooses.

import { byId } from "./elements.js";

/** Starts the button that changes the colours. */
export function startTheme() {
  const root = document.documentElement;
  const button = byId("theme");
  const stored = (value) => {
    try {
      return value === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", value);
    } catch {
      return null;
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
    button.setAttribute("aria-pressed", String(dark()));
  };
  const before = stored();
  if (before) root.dataset.theme = before;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    stored(root.dataset.theme);
    label();
  });
  system.addEventListener("change", label);
  button.hidden = false;
  label();
}
