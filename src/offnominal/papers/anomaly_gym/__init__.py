"""The Anomaly-Gym paper: studies of vector and image detectors, and published results."""
