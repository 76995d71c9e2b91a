"""Reports of diagnosis studies."""
