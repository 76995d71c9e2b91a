"""Worlds on MuJoCo physics: Reacher3D and HalfCheetah; the model, card and camera of the cartpole are here too."""
