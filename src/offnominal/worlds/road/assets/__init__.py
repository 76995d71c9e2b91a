"""Procedural meshes of everything visible in the driving world. They know nothing of towns and traffic."""
