"""Methods of the comparison: each runs many configurations of one detector on one split."""
