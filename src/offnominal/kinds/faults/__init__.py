"""Studies of faults: detectors that are evaluated on the faults of worlds."""
