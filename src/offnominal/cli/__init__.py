"""The command line: one program, few verbs."""

from offnominal.cli.program import main

__all__ = ["main"]
