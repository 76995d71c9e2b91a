// The page of a study on faults.

import { criticalDifference, delayAgainstFalseAlarms, distribution, startCurves } from "./charts.js";
import { metricNow, showCount, startChoice } from "./choice.js";
import { byId } from "./elements.js";
import { startEpisodes } from "./episodes.js";
import { heatMap, matrices, startFaults } from "./faults.js";
import { guaranteeTable } from "./guarantees.js";
import { detectionOverTime } from "./incidence.js";
import { leaderboardTable } from "./leaderboard_table.js";
import { DATA } from "./page_data.js";
import { comparePair, startCompare } from "./pair_section.js";
import { startReport } from "./report.js";
import { onAlarm, startTiming, timingTable } from "./timing_table.js";
import { onVisible, showAll } from "./visible_detectors.js";

function paint() {
  showCount();
  byId("metric-tip").dataset.tip = metricNow()?.meaning ?? "";
  if (!metricNow()) return;
  leaderboardTable();
  criticalDifference();
  distribution("spread-kind", "kind", DATA.kinds);
  distribution("spread-level", "level", DATA.levels);
  matrices();
  heatMap();
  timingTable();
  detectionOverTime();
  guaranteeTable();
  delayAgainstFalseAlarms();
  if (DATA.names.length > 1) comparePair();
}

startChoice(paint, showAll);
onVisible(paint);
startFaults();
startEpisodes();
startTiming();
startCurves();
onAlarm(detectionOverTime);
if (DATA.names.length > 1) startCompare();
paint();
startReport();
