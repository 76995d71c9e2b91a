"""Run the command line with `python -m offnominal`."""

from offnominal.cli import main

if __name__ == "__main__":
    main()
