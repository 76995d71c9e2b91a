"""Studies of unseen policies: detectors that learn from episodes of one policy and are tested with others."""
