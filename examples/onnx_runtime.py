"""Print the alarms of an exported detector in a recorded episode, with NumPy and onnxruntime alone.

Usage: python onnx_runtime.py MODEL.onnx EPISODE.npz
"""

import sys

import numpy as np
import onnxruntime

TYPES = {"bool": bool, "double": np.float64, "float": np.float32, "int64": np.int64, "uint8": np.uint8}

session = onnxruntime.InferenceSession(sys.argv[1])
inputs = {each.name: (each.shape, TYPES[each.type[7:-1]]) for each in session.get_inputs()}
outputs = [each.name for each in session.get_outputs()]
state = {name: np.zeros(*kind) for name, kind in inputs.items() if name.startswith("state_")}
episode = np.load(sys.argv[2])
observations, actions = episode["observations"], episode["actions"]
for t, action in enumerate(actions):
    readings = {"observation": observations[t], "action": action, "next_observation": observations[t + 1]}
    feeds = {name: np.reshape(value, inputs[name][0]).astype(inputs[name][1]) for name, value in readings.items()}
    found = dict(zip(outputs, session.run(None, feeds | state), strict=True))
    state = {name: found[f"next_{name}"] for name in state}
    if found["alarm"][0]:
        print(f"step {t}: alarm, score {found['score'][0]:.3f}")
