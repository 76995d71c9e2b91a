"""The comparison of anomaly detectors on tables and image sets: parameter search, selection and ranks."""
