#!/bin/sh
# Installs the monitor: deploy/install.sh PYTHON WHEEL, such as `deploy/install.sh /opt/offnominal/bin/python dist/*.whl`.
# The packages are those of watch-lock.txt, and nothing else. What is removed is never imported by a monitor: the tests
# of NumPy, and the tools of onnxruntime that convert models.
set -eu
[ $# -eq 2 ] || { echo "usage: install.sh PYTHON WHEEL (one wheel; $# arguments were given)" >&2; exit 2; }
python=$1
wheel=$2
here=$(dirname "$0")
"$python" -m pip install --no-deps --require-hashes --requirement "$here/watch-lock.txt"
"$python" -m pip install --no-deps --force-reinstall "$wheel"
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
find "$packages/numpy" -depth -type d -name tests -exec rm -rf {} +
rm -rf "$packages/onnxruntime/quantization" "$packages/onnxruntime/tools" "$packages/onnxruntime/transformers"
"$python" -m offnominal watch --help > /dev/null
