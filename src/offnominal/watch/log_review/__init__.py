"""A first look at a recording: alarms over time, events with delays in seconds, false alarms per day, drift."""
