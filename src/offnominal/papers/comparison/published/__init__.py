"""The published tables of the paper, each beside our results for it."""
