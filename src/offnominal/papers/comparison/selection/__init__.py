"""Results of a run: selection of a configuration by different protocols, ranks, and sensitivity to parameters."""
