"""The open world: voxel rooms, recipes, trades and actors of the pogo-stick task."""
