"""Worlds with MuJoCo physics: CartpoleSwingup, Reacher3D and HalfCheetah."""
