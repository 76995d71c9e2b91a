"""Choice of detector, alarm and window for a log, with the rate of false alarms that its hours can show."""
