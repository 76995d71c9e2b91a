"""Particle worlds (SAP): Goal0, Goal1 and Goal2."""
