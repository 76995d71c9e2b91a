// Puts the page together.

startTheme();
startChoice();
startFaults();
startEpisodes();
options(byId("alarm"), Object.keys(DATA.timing.alarms).map((alarm) => [alarm, alarm]), Object.keys(DATA.timing.alarms)[0] ?? "");
byId("alarm").addEventListener("change", timingTable);
onChoice(leaderboard);
onChoice(criticalDifference);
onChoice(() => distribution("spread-kind", "kind", DATA.kinds));
onChoice(() => distribution("spread-level", "level", DATA.levels));
onChoice(matrices);
onChoice(heatMap);
onChoice(timingTable);
onChoice(guaranteeTable);
onChoice(delayAgainstFalseAlarms);
changed();
