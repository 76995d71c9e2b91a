// Starts what every page has.

startTheme();
startStaticTables();
startDownloads();
startTips();
startAddress();
