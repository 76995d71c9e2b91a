// What every page does: its data, links, the theme, and the state that the address keeps.

import { byId } from "./elements.js";

/**
 * Returns the data that the server put into the page.
 * @returns {any}
 */
export function pageData() {
  return JSON.parse(byId("data").textContent);
}

/**
 * Returns the link to another page of the server, or of the export.
 * @param {string} path such as "runs/quickstart"
 * @param {Record<string, string>} [query]
 */
export function link(path, query = {}) {
  const { root, suffix } = document.documentElement.dataset;
  const words = new URLSearchParams(query).toString();
  return `${root}${path.split("/").map(encodeURIComponent).join("/")}${suffix}${words ? `?${words}` : ""}`;
}

/**
 * Returns what the address says after the question mark.
 * @param {string} name
 */
export function fromAddress(name) {
  return new URLSearchParams(location.search).get(name);
}

/**
 * Keeps a state in the address, so that the page can be shared and reloaded; null and "" are left out.
 * @param {Record<string, string | null>} state
 */
export function toAddress(state) {
  const words = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(state)) {
    if (value) words.set(name, value);
    else words.delete(name);
  }
  const query = words.toString();
  history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
}

/** @param {string} [value] */
function storedTheme(value) {
  try {
    if (value !== undefined) localStorage.setItem("theme", value);
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
}

function startTheme() {
  const root = document.documentElement;
  const button = byId("theme");
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-pressed", String(isDark()));
  };
  const before = storedTheme();
  if (before) root.dataset.theme = before;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    storedTheme(root.dataset.theme);
    label();
  });
  button.hidden = false;
  label();
}

startTheme();
