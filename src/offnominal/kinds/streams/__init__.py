"""Studies of streams: long runs without resets, with drift, updates, wear and faults at known times."""
