"""Predictive detectors: a network predicts the next frame, and the prediction error is the anomaly score."""
