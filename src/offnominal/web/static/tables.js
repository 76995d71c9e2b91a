// Pages of tables: every column can be sorted.

import "./page.js";
import { enhance } from "./table.js";

for (const table of document.querySelectorAll("table.plain-rows")) enhance(/** @type {HTMLTableElement} */ (table));
