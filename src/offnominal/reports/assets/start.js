// The page of a study whose tables and figures are in the page.

import { startReport } from "./report.js";

startReport();
