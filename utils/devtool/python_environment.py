"""The virtual environment of the tests: .venv, Python 3.11 with torch."""

import hashlib

from .packages import PYTHON_PACKAGES, install
from .shell import ROOT, Failure, output_of, run, say

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "utils" / "requirements-test.txt"
# Holds the hash of the requirements that were installed last.
STAMP = VENV / "installed-requirements"


def ensure():
    """Makes .venv, or brings it up to date with utils/requirements-test.txt."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not (PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted):
        install(PYTHON_PACKAGES)
        version = output_of(["python3.11", "-c", "import sys; print(sys.version_info[:2])"])
        if version is None or version.strip() != "(3, 11)":
            raise Failure("the tests need Python 3.11; python3.11 on PATH is something else")
        run(["python3.11", "-m", "venv", "--clear", VENV], "making .venv")
        run([PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "-r", REQUIREMENTS], "installing the Python packages of the tests")
        STAMP.write_text(wanted)
    versions = output_of([PYTHON, "-c", "import sys, importlib.metadata as m; print(sys.version.split()[0], m.version('torch'))"])
    if versions is None:
        raise Failure(".venv is damaged: remove it and run this again")
    python, torch = versions.split()
    say(f"Python {python}, torch {torch} in .venv")
