"""Several training seeds at once: TQC, SAC, TD3 and PPO with the networks of all seeds stacked."""
