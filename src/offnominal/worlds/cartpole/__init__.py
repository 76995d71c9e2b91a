"""Cartpole swing-up (MJC) without MuJoCo: its physics for this one model, compiled."""
