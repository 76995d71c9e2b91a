// What every report has.

import { startSections } from "./address.js";
import { startDownloads } from "./downloads.js";
import { sortStatic } from "./table.js";
import { filterStatic } from "./table_filters.js";
import { startTheme } from "./theme.js";
import { startTips } from "./tips.js";

/** Starts a report whose tables and figures are in the page. */
export function startReport() {
  startTheme();
  for (const table of document.querySelectorAll("table.static")) {
    sortStatic(table);
    filterStatic(table);
  }
  startDownloads();
  startTips();
  startSections();
}
