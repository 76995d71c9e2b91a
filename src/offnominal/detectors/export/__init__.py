"""Detectors as ONNX files.

A detector describes one step by torch operators (``_torch_update``, or ``_torch_score`` for a row detector). They are
recorded and written as an ONNX graph, with the state of the detector as inputs and outputs.
"""
