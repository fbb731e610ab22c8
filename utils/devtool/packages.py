"""The system packages TC needs: what is missing, and its installation with apt."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .shell import Failure, output_of, run, say, succeeds

LLVM = Path("/usr/lib/llvm-22")
NO_LLVM = """this system's package sources have no LLVM 22 ({names}). Two ways go on from here:
  - use a bundle, which has LLVM inside and runs on any Linux with glibc 2.35: `./dev bundle` makes one on a
    system that has LLVM 22 (docs/bundle.md);
  - add a source that has these packages, or build LLVM and MLIR 22 with shared libraries into /usr/lib/llvm-22,
    and run this again."""


@dataclass(frozen=True)
class Package:
    """A Debian package, and a test of whether its content is installed already."""

    name: str
    command: tuple = ()  # succeeds when the package is there
    files: tuple = ()  # one of these exists when the package is there

    def is_present(self):
        if self.command:
            return succeeds(list(self.command))
        return any(Path(file).exists() for file in self.files)


def headers(path):
    return (f"/usr/include/{path}", f"/usr/include/x86_64-linux-gnu/{path}",
            f"/usr/include/aarch64-linux-gnu/{path}", f"/usr/local/include/{path}")


BUILD_PACKAGES = (
    Package("libmlir-22-dev", files=(LLVM / "lib/cmake/mlir/MLIRConfig.cmake",)),
    Package("mlir-22-tools", files=(LLVM / "bin/mlir-tblgen",)),
    Package("llvm-22-dev", files=(LLVM / "lib/cmake/llvm/LLVMConfig.cmake",)),
    Package("llvm-22-tools", files=(LLVM / "bin/FileCheck",)),
    Package("clang-22", command=("clang++-22", "--version")),
    Package("lld-22", command=("ld.lld-22", "--version")),
    Package("ccache", command=("ccache", "--version")),
    Package("ninja-build", command=("ninja", "--version")),
    Package("cmake", command=("cmake", "--version")),
    Package("libzstd-dev", files=headers("zstd.h")),
    Package("zlib1g-dev", files=headers("zlib.h")),
    Package("libxml2-dev", files=headers("libxml2/libxml/xmlversion.h")),
)

GTEST_PACKAGES = (
    Package("libgtest-dev", files=headers("gtest/gtest.h")),
    Package("libgmock-dev", files=headers("gmock/gmock.h")),
)

TEST_PACKAGES = GTEST_PACKAGES + (
    Package("clang-format-22", command=("clang-format-22", "--version")),
    Package("clang-tidy-22", command=("clang-tidy-22", "--version")),
    Package("qemu-user", command=("qemu-aarch64", "--version")),
    Package("g++-aarch64-linux-gnu", command=("aarch64-linux-gnu-g++", "--version")),
)

SANITIZER_PACKAGES = (
    Package("libclang-rt-22-dev", command=(
        "sh", "-c", "test -e $(clang++-22 -print-file-name=libclang_rt.asan-$(uname -m).so)")),
)

PYTHON_PACKAGES = (
    Package("python3.11", command=("python3.11", "--version")),
    Package("python3.11-venv", command=("python3.11", "-c", "import ensurepip, venv")),
    Package("python3.11-dev", command=(
        "python3.11", "-c",
        "import os, sys, sysconfig;"
        "sys.exit(not os.path.exists(sysconfig.get_path('include') + '/Python.h'))")),
)


def needs_llvm(name):
    return name.endswith("-22") or "-22-" in name


def is_known(name):
    """Whether the package sources have a version of the package."""
    policy = output_of(["apt-cache", "policy", name]) or ""
    return "Candidate:" in policy and "Candidate: (none)" not in policy


def install(packages):
    """Installs what is missing; raises Failure naming it where it cannot."""
    missing = [package.name for package in packages if not package.is_present()]
    if not missing:
        return
    names = " ".join(missing)
    say(f"missing: {names}")
    if not shutil.which("apt-get"):
        if any(needs_llvm(name) for name in missing):
            raise Failure(NO_LLVM.format(names=names))
        raise Failure(f"there is no apt-get here; install these Debian packages' equivalents: {names}")
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if root and not succeeds([*root, "true"]):
        raise Failure(f"not root, and sudo asks for a password; run: sudo apt-get install {names}")
    apt = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]
    run([*apt, "update"], "apt-get update")
    unknown = [name for name in missing if needs_llvm(name) and not is_known(name)]
    if unknown:
        raise Failure(NO_LLVM.format(names=" ".join(unknown)))
    run([*apt, "install", "--no-install-recommends", *missing], "apt-get install")
    absent = [package.name for package in packages if not package.is_present()]
    if absent:
        raise Failure(f"still missing after the installation: {' '.join(absent)}")
