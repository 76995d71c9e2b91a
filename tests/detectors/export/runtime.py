"""Runs an exported detector with onnxruntime."""

import numpy as np
import onnxruntime

TYPES = {
    "tensor(bool)": "?",
    "tensor(double)": "f8",
    "tensor(float)": "f4",
    "tensor(int64)": "i8",
    "tensor(uint8)": "u1",
}


class Runtime:
    def __init__(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = {each.name: each for each in self.session.get_inputs()}
        self.metadata = self.session.get_modelmeta().custom_metadata_map
        self.reset()

    def reset(self):
        self.state = {
            name: np.zeros(each.shape, TYPES[each.type])
            for name, each in self.inputs.items()
            if name.startswith("state_")
        }

    def step(self, step):
        readings = {
            name: np.asarray(getattr(step, name)).reshape(self.inputs[name].shape).astype(TYPES[self.inputs[name].type])
            for name in ("observation", "action", "next_observation")
        }
        names = [each.name for each in self.session.get_outputs()]
        found = dict(zip(names, self.session.run(None, readings | self.state), strict=True))
        self.state = {name: found[f"next_{name}"] for name in self.state}
        return found
