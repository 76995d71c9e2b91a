// Pages of tables: every column can be sorted.

import "./page.js";
import { sortStatic } from "./table.js";

for (const table of document.querySelectorAll("table.plain-rows")) sortStatic(table);
