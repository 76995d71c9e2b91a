"""Feature-based detectors: distance between the features of an image and those of nominal images."""
