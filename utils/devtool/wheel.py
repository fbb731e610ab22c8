"""`./dev wheel`: the Python package with the compiler and the runtime inside, as wheels.

They are made of the folder that `./dev bundle` packs, so LLVM is in libTCCompiler.
"""

import platform
import shutil
from pathlib import Path

from . import bundle, python_environment
from .shell import BUILD, ROOT, Failure, run, say, shorten

WHEELS = BUILD / "wheels"


def make():
    """Packs a wheel for each extension module that the bundle's folder holds; returns their paths."""
    folder = bundle.folder_of_bundle()
    modules = sorted((folder / "python/tc").glob("_native.*.so"))
    if not modules:
        raise Failure(f"{shorten(str(folder))} holds no extension module of the package; expected one after `./dev setup` "
                      "and `./dev bundle`")
    shutil.rmtree(WHEELS, ignore_errors=True)
    wheels = [pack(folder, module) for module in modules]
    for wheel in wheels:
        say(f"{shorten(str(wheel))}: {wheel.stat().st_size / 2**20:.1f} MiB")
    return wheels


def pack(folder, module):
    """Makes a wheel of the package with one extension module; returns its path."""
    sources = WHEELS / "sources"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.copytree(folder / "python/tc", sources / "tc", ignore=lambda _, names: [
        name for name in names if name.startswith("_native.") and name.endswith(".so") and name != module.name])
    (sources / "tc/lib").mkdir()
    for library in ("libTCCompiler.so", "libTCRuntime.so"):
        shutil.copy(folder / "lib" / library, sources / "tc/lib")
    for path in (*bundle.LICENSES, "python-bindings/setup.py"):
        shutil.copy(ROOT / path, sources)
    project = (ROOT / "python-bindings/pyproject.toml").read_text()
    (sources / "pyproject.toml").write_text(project.replace("@PROJECT_VERSION@", bundle.version()))
    # Setuptools refuses the stable ABI of a Python newer than its own; that Python gets setuptools from the index.
    stable = module.name == "_native.abi3.so"
    pip = [bundle.find_stable_python()] if stable else [python_environment.PYTHON]
    pip += ["-m", "pip", "wheel", "--quiet", "--no-deps", *([] if stable else ["--no-build-isolation"])]
    # The check of the bundle has seen that no newer glibc is needed.
    glibc = "_".join(map(str, bundle.NEWEST_GLIBC))
    run([*pip, f"--config-settings=--build-option=--plat-name=manylinux_{glibc}_{platform.machine()}",
         "--wheel-dir", WHEELS / "made", sources], f"packing the wheel with {module.name}")
    shutil.rmtree(sources)
    wheel, = (WHEELS / "made").glob("*.whl")
    return Path(shutil.move(wheel, WHEELS / wheel.name))
