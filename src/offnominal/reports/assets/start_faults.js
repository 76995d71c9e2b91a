// Puts the page of a study on faults together.

startChoice();
startFaults();
startEpisodes();
startAlarms();
onChoice(leaderboard);
onChoice(criticalDifference);
onChoice(() => distribution("spread-kind", "kind", DATA.kinds));
onChoice(() => distribution("spread-level", "level", DATA.levels));
onChoice(matrices);
onChoice(heatMap);
onChoice(timingTable);
onChoice(guaranteeTable);
onChoice(delayAgainstFalseAlarms);
if (DATA.names.length > 1) startCompare();
changed();
