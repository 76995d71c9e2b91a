"""AnoVox: anomalies of driving scenes for any sensor."""
