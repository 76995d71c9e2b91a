class Context:
    initialised = False

    def shutdown(self):
        assert self.initialised
        self.initialised = False
