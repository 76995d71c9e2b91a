// The state of a page in its address, so that a copied link shows the same. Pages of the server and of its export keep it
// in the query; a report, which is one file, keeps it behind the section: #section?name=value.

import { byId, options } from "./elements.js";

const IN_HASH = document.documentElement.dataset.root === undefined;
let section = "";
let state = new URLSearchParams(location.search);

function readHash() {
  const [before, query = ""] = location.hash.slice(1).split("?");
  section = before;
  if (query) state = new URLSearchParams(query);
}

function write() {
  const query = state.size ? `?${state}` : "";
  if (!IN_HASH) return history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
  const hash = section || query ? `#${section}${query}` : "";
  if (location.hash !== hash) history.replaceState(null, "", hash || location.href.split("#")[0]);
}

/** Returns what the address says, or null. */
export const fromAddress = (name) => state.get(name);

/**
 * Keeps values in the address; null and "" are left out.
 * @param {Record<string, string | null>} values
 */
export function toAddress(values) {
  for (const [name, value] of Object.entries(values)) {
    if (value) state.set(name, value);
    else state.delete(name);
  }
  write();
}

/** Fills a select element; chosen is what the address says, if it is one of the entries. */
export function optionsFromAddress(id, entries, fallback, name = id) {
  const wanted = fromAddress(name);
  options(byId(id), entries, entries.some(([value]) => value === wanted) ? wanted : fallback);
}

/** Follows links within a report, and shows the section of its address. */
export function startSections() {
  addEventListener("hashchange", () => {
    if (location.hash.includes("?")) return location.reload();
    readHash();
    write();
  });
  const target = section && document.getElementById(section);
  if (target) target.scrollIntoView();
}

if (IN_HASH) readHash();
