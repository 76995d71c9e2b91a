"""Worlds on MuJoCo physics: cartpole swing-up, Reacher3D and HalfCheetah."""
