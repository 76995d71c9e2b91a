"""What a sensor sees of a world, drawn without any system graphics library."""
