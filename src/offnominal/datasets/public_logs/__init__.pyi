# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.public_logs.catalogue import PublicLog as PublicLog
from offnominal.datasets.public_logs.catalogue import public_log_entry as public_log_entry
from offnominal.datasets.public_logs.catalogue import public_log_names as public_log_names
from offnominal.datasets.public_logs.loading import load_public_log as load_public_log

__all__ = [
    "PublicLog",
    "load_public_log",
    "public_log_entry",
    "public_log_names",
]
