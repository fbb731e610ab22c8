"""The package, installed from a wheel, is found by torch.compile under its name."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("tc")

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("TC_BUILD_DIR", ROOT / "build"))


def run(*command, **how):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, **how)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def example_of_readme():
    """The Python of the page that calls torch.compile with TC."""
    found = [text for text in re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
             if 'backend="tc"' in text]
    assert len(found) == 1
    return found[0]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package as pip installs it, and nothing else."""
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(BUILD / "python", folder / "sources", ignore=ignored)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheels",
        folder / "sources")
    wheel, = (folder / "wheels").glob("tc_compiler-*.whl")
    assert "-any.whl" not in wheel.name
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder / "site", wheel)
    return folder / "site"


def test_the_backend_is_found_by_its_name(installed, tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TC_")}
    environment["PYTHONPATH"] = str(installed)
    where = 'import tc\nprint(tc.__file__)\nprint(open("/proc/self/maps").read())\n'
    output = run(sys.executable, "-c", example_of_readme() + where, cwd=tmp_path, env=environment)
    assert str(installed / "tc/__init__.py") in output
    libraries = set(re.findall(r"/\S*(?:libTC|_native)\S*", output))
    assert libraries and all(library.startswith(str(installed)) for library in libraries)


def test_importing_the_package_does_not_import_torch(installed, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(installed)}
    print_torch = 'import sys, tc; print("torch" in sys.modules)'
    assert run(sys.executable, "-c", print_torch, cwd=tmp_path, env=environment).strip() == "False"


def test_the_wheel_has_the_licences_of_what_is_in_it(installed):
    text = next(installed.glob("tc_compiler-*.dist-info/licenses/THIRD_PARTY_LICENSES")).read_text()
    for name in ("LLVM and MLIR", "zlib", "Zstandard", "nanobind"):
        assert f"\n\n{name}\n===" in text


def test_the_package_has_the_types_of_its_extension_module(installed):
    stub = (installed / "tc/_native.pyi").read_text()
    import tc._native as native
    for name in filter(lambda name: not name.startswith("_"), dir(native)):
        assert re.search(rf"^(?:def|class) {name}\b", stub, re.M), name


def test_pip_takes_the_wheel_of_a_checkout_from_the_build_backend():
    sys.path.insert(0, str(ROOT / "utils"))
    try:
        from devtool import wheel_backend
        from devtool.shell import Failure
    finally:
        sys.path.pop(0)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]
    assert (project["build-backend"], project["backend-path"]) == (wheel_backend.__name__, ["utils"])
    module = wheel_backend.module_for_this_python(BUILD)
    assert module.suffix == ".so" and importlib.util.spec_from_file_location("_native", module) is not None
    with pytest.raises(Failure, match="there is no extension module for Python 3.* only none; expected Python 3.11"):
        wheel_backend.module_for_this_python(ROOT)
