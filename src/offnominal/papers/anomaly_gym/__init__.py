"""The vector half of Anomaly-Gym's experiments, and what is printed of them."""
