"""Search of detector parameters: search spaces, configurations, and their results on one table or image set."""
