"""Errors of point clouds and voxels."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter


class InvalidPoints(InvalidParameter):
    """A point cloud is empty, is not an array of finite points, or does not match its labels or scores."""
