import time


class SingleThreadedExecutor:
    def __init__(self, *, context):
        self.context, self.nodes = context, []

    def add_node(self, node):
        self.nodes.append(node)

    def spin_once(self, timeout_sec=None):
        assert self.context.initialised
        end = time.monotonic() + timeout_sec
        while time.monotonic() < end:
            for node in self.nodes:
                for timer in node.timers:
                    if time.monotonic() >= timer[1]:
                        timer[1] += timer[0]
                        timer[2]()
                        return
                if node.waiting:
                    callback, arguments = node.waiting.pop(0)
                    callback(*arguments)
                    return
            time.sleep(0.001)

    def shutdown(self):
        self.nodes.clear()
