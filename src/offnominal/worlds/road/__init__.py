"""The road: lane keeping and the driving world."""
