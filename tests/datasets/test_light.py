"""Arrow is loaded when data is, and not before."""

import subprocess
import sys

CODE = """
import sys
import offnominal
import offnominal.cli.program
assert {"load_dataset", "generate", "Dataset"} <= set(dir(offnominal))
assert not {"pyarrow", "pandas", "minari"} & set(sys.modules), "at import"
offnominal.load_dataset
assert "pyarrow" in sys.modules
assert not {"pandas", "minari", "matplotlib", "duckdb"} & set(sys.modules), "for load"
"""


def test_importing_the_package_does_not_import_arrow():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
