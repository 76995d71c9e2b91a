"""Pong on the Arcade Learning Environment, seen through a camera that may fail."""
