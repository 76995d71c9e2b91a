"""Reports of transfer studies."""
