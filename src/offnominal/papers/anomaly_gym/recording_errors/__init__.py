"""Errors of the public code of Anomaly-Gym in recorded episodes, each as a change that recipes and studies name."""
