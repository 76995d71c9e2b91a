"""Learning policies from scratch on the batched worlds: TQC, SAC and TD3 in plain torch."""
