"""Pong on the Arcade Learning Environment, with pixel observations."""
