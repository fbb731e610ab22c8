"""What pip calls to make a wheel of a checkout (PEP 517): `pip wheel .` or `pip install .`.

It builds what has changed and packs what `./dev wheel` packs for the Python that asks: a wheel for
Python 3.11, or one for Python 3.12 and all later ones.
"""

import os
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

from . import bundle, wheel
from .shell import Failure


def module_for_this_python(folder):
    """The extension module in a folder of `./dev bundle` that the running Python loads."""
    suffix = ".abi3.so" if sys.version_info >= (3, 12) else sysconfig.get_config_var("EXT_SUFFIX")
    if (module := folder / f"python/tc/_native{suffix}").exists():
        return module
    there = ", ".join(sorted(path.name for path in (folder / "python/tc").glob("_native.*.so"))) or "none"
    raise Failure(f"there is no extension module for Python {sys.version_info[0]}.{sys.version_info[1]}, only {there}; expected "
                  "Python 3.11, or a later one where Python 3.12 with its headers is installed")


def make_wheel():
    """The wheel of this checkout; returns its path."""
    # pip hides the packages of its Python from this process, and names its backend. Commands below call pip themselves.
    for name in [name for name in os.environ if name == "PYTHONPATH" or name.startswith(("_PYPROJECT_HOOKS_", "PEP517_"))]:
        del os.environ[name]
    folder = bundle.make(archive=False)
    shutil.rmtree(wheel.WHEELS, ignore_errors=True)
    return wheel.pack(folder, module_for_this_python(folder))


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """The metadata are those of the wheel, which `build_wheel` takes afterwards. Returns the name of their folder."""
    with zipfile.ZipFile(make_wheel()) as archive:
        names = [name for name in archive.namelist() if name.partition("/")[0].endswith(".dist-info")]
        archive.extractall(metadata_directory, [name for name in names if not name.endswith("/RECORD")])
    return names[0].partition("/")[0]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Returns the name of the wheel that it puts into `wheel_directory`."""
    made, = wheel.WHEELS.glob("*.whl") if metadata_directory else [make_wheel()]
    return Path(shutil.move(made, Path(wheel_directory) / made.name)).name
