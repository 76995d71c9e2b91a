from importlib import import_module


def get_message(identifier):
    package, kind, name = identifier.split("/")
    return getattr(import_module(f"{package}.{kind}"), name)
