"""Run the command line with `python -m offnominal`."""

from offnominal.cli import main

main()
