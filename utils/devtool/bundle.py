"""`./dev bundle`: TC as one archive that runs from any folder, without LLVM.

What `cmake --install` puts into a prefix, with a libTCCompiler that holds LLVM
and MLIR, and the examples. docs/bundle.md says what is in it and what it needs.
"""

import hashlib
import lzma
import os
import platform
import re
import shutil
import tarfile
from pathlib import Path

from . import building, python_environment
from .shell import BUILD, ROOT, Failure, output_of, run, say, shorten

BUNDLES = BUILD / "bundle"
TARGETS = ["tc-opt", "tc-run", "tc-fuzz", "tc-lsp-server", "TCCompilerC", "TCRuntime", "TCPython", "TCLaunchOverhead"]
# Rows and random kernels on a CUDA device, and what they need.
BENCHMARKS = ["gpu_rows.py", "gpu_random.py", "gpu_random_kernels.py", "gpu_floors.py", "gpu_measure.py", "gpu_report.py",
              "gpu_rivals.py", "gpu_schedules.py", "gpu_first_results.py", "gpu_attention_backward.py", "gpu_workloads.py",
              "jax_models.py", "measure.py", "report.py", "rivals.py", "workloads.py"]
# The libraries that every Linux with those of C and C++ has.
SYSTEM_LIBRARIES = re.compile(r"(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-[\w-]+)\.so\.\d+$")
# TC's licence, and those of what is in the bundle besides.
LICENSES = ["LICENSE", "THIRD_PARTY_LICENSES"]
# The newest glibc that may be needed: that of Ubuntu 22.04. Debian 12 has a newer one.
NEWEST_GLIBC = (2, 35)
# The names of LLVM's and MLIR's symbols, mangled and of their C APIs.
LLVM_SYMBOL = re.compile(r"_Z\w*?N?[0-9K]*(4llvm|4mlir)|LLVM|mlir[A-Z]")


def make(build=True, archive=True):
    """Builds, installs into a folder, checks it and packs it unless `archive` is false; returns the archive or the folder."""
    if build:
        building.build(TARGETS)
        if "TCCompilerStatic:" not in (output_of(["ninja", "-C", BUILD, "-t", "targets", "all"]) or ""):
            raise Failure("this build has no target TCCompilerStatic: the static libraries of LLVM, MLIR, zlib or zstd "
                          "are missing (cmake says which)")
        building.build(["TCCompilerStatic"])
    elif "no work to do" not in (output_of(["ninja", "-C", BUILD, "-n", *TARGETS, "TCCompilerStatic"]) or ""):
        raise Failure("--no-build packs what is built already, but that is older than its sources; expected `./dev bundle` "
                      "without --no-build")
    folder = folder_of_bundle()
    shutil.rmtree(folder, ignore_errors=True)
    install = ["cmake", "--install", BUILD, "--prefix", folder, "--strip"]
    run(install, "the installation")
    # CMake takes files of the same age for equal.
    (folder / "lib/libTCCompiler.so").unlink()
    run([*install, "--component", "static"], "the installation of the static library")
    add_stable_module(folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    shutil.copytree(ROOT / "test/Device", folder / "check", ignore=shutil.ignore_patterns("*.test", "Kernels"))
    shutil.copy(ROOT / "test/python/models/agreement.py", folder / "check")
    run([*install, "--component", "benchmarks"], "the installation of the benchmarks")
    for name in BENCHMARKS:
        shutil.copy(ROOT / "benchmarks" / name, folder / "benchmarks")
    shutil.copytree(ROOT / "test/tc-run", folder / "check/tc-run", ignore=lambda folder, names: [
        name for name in names if not name.endswith(".mlir")])
    shutil.copy(ROOT / "docs/bundle.md", folder / "README.md")
    for name in LICENSES:
        shutil.copy(ROOT / name, folder)
    check(folder)
    return pack(folder) if archive else folder


def folder_of_bundle():
    """The folder that `make` fills and packs."""
    return BUNDLES / f"tc-{version()}-{platform.system().lower()}-{platform.machine()}"


def find_stable_python():
    """Python 3.12 with its headers, on PATH or of pyenv; None where there is none."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for candidate in ("python3.12", *versions.glob("3.12.*/bin/python3.12")):
        include = output_of([candidate, "-c", "import sysconfig; print(sysconfig.get_path('include'))"])
        if include and (Path(include.strip()) / "Python.h").exists():
            return candidate
    return None


def add_stable_module(folder):
    """Builds the extension module of the package once more, for Python 3.12 and all later ones, where that one is here."""
    nanobind = output_of([python_environment.PYTHON, "-m", "nanobind", "--cmake_dir"])
    executable = find_stable_python()
    if not (nanobind and executable):
        say("the bundle's Python package is for the Python of the build alone: Python 3.12 with its headers, or .venv, is missing")
        return
    build = BUILD / "python-stable"
    run(["cmake", "-S", ROOT / "python-bindings", "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-22",
         f"-DCMAKE_PREFIX_PATH={folder}", f"-DPython_EXECUTABLE={executable}", f"-Dnanobind_ROOT={nanobind.strip()}"],
        "configuring the module for later Pythons")
    run(["ninja", "-C", build], "the module for later Pythons")
    run(["cmake", "--install", build, "--prefix", folder, "--strip"], "the installation of that module")


def version():
    return re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def check(folder):
    """Fails where a program or library needs what a bare machine may not have,
    or shows a symbol of LLVM's."""
    own = {path.name for path in (folder / "lib").iterdir()}
    for path in sorted([*(folder / "bin").iterdir(), folder / "benchmarks/launch_overhead", *(folder / "lib").glob("*.so"),
                        *(folder / "python/tc").glob("*.so")]):
        header = output_of(["readelf", "-d", "-V", path])
        if header is None:
            raise Failure(f"readelf cannot read {shorten(str(path))}")
        for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", header):
            if needed not in own and not SYSTEM_LIBRARIES.match(needed):
                raise Failure(f"{path.name} needs {needed}, which is not in the bundle")
        for folders in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.+)\]", header):
            if any(not entry.startswith("$ORIGIN") for entry in folders.split(":")):
                raise Failure(f"{path.name} looks for libraries in {folders}, expected only $ORIGIN")
        glibc = max((tuple(map(int, text.split("."))) for text in re.findall(r"\bGLIBC_([\d.]+)", header)), default=())
        if glibc > NEWEST_GLIBC:
            raise Failure(f"{path.name} needs glibc {'.'.join(map(str, glibc))}")
        for symbol in (output_of(["nm", "-D", "--defined-only", path]) or "").split():
            if LLVM_SYMBOL.match(symbol):
                raise Failure(f"{path.name} shows the symbol {symbol} of LLVM's")


def pack(folder):
    archive = folder.with_name(folder.name + ".tar.xz")

    def anonymous(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    say(f"packing {shorten(str(archive))}")
    # The first filter makes machine code smaller.
    code = [{"id": lzma.FILTER_X86}] if platform.machine() == "x86_64" else []
    filters = [*code, {"id": lzma.FILTER_LZMA2, "preset": 6}]
    with lzma.open(archive, "w", filters=filters) as compressed, \
            tarfile.open(fileobj=compressed, mode="w|", format=tarfile.PAX_FORMAT) as tar:
        tar.add(folder, folder.name, filter=anonymous)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    say(f"{shorten(str(archive))}: {archive.stat().st_size / 2**20:.1f} MiB, sha256 {digest}")
    return archive
