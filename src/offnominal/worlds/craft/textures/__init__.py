"""How blocks, items and actors of the voxel world appear: textures of 16 x 16 texels, computed, and models."""
