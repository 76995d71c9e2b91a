// What every page of the server does: links, colours and short texts.

import { startTheme } from "./theme.js";
import { startTips } from "./tips.js";

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

startTheme();
startTips();
