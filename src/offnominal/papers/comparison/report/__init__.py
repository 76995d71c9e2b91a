"""The report of a comparison, and the published results."""
