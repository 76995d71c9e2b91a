"""Simulated data with a known truth, and the numbers whose intervals are checked on them."""
