"""Out-of-distribution detection inside deep reinforcement-learning policies."""
