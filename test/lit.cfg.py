"""The lit suite of TC.

Substitutions: tc-opt, tc-run, FileCheck, not, split-file, count, and %python
(the project's virtual environment when there is one), %tc_source_root, %tc_build_root,
%tc_tools_dir, %stand_in_driver, %stand_in_libraries, %stand_in_cudnn, %unshare and %examples.

Features, for `// REQUIRES:`
  cuda   an NVIDIA device is present
  ptxas  the CUDA assembler is on PATH
  torch  %python can import torch
  namespaces  unshare is on PATH, and the system lets it change the root directory
  qemu-aarch64  an emulator of AArch64 and a compiler for it are on PATH
  full   everything was asked for (TC_TEST_FULL=1), not the default slice
"""

import glob
import os
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "TC"
config.suffixes = [".mlir", ".test"]
# Inputs are files that tests name, golden dumps for example.
config.excludes = ["Inputs", "python", "CMakeLists.txt"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tc_build_root, "test")


def find_python():
    """The virtual environment that `./dev test` makes, else CMake's Python."""
    candidate = os.path.join(config.tc_source_root, ".venv", "bin", "python")
    return candidate if os.path.exists(candidate) else config.python_executable


def can_import(python, module):
    probe = f"import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"
    return subprocess.run([python, "-c", probe], capture_output=True).returncode == 0


python = find_python()
# With a sanitizer, whose runtime Python has to load ahead.
preload = f"env LD_PRELOAD={os.environ['TC_PRELOAD']} " if "TC_PRELOAD" in os.environ else ""
config.substitutions.append(("%python", f'{preload}"{python}"'))
config.substitutions.append(("%tc_source_root", config.tc_source_root))
config.substitutions.append(("%tc_build_root", config.tc_build_root))
config.substitutions.append(("%tc_tools_dir", config.tc_tools_dir))
# libcuda.so.1 that takes calls and runs no kernels (Target/CUDA/StandIn).
config.substitutions.append(("%stand_in_driver", os.path.join(config.tc_build_root, "test", "stand-in")))
# libcublasLt.so.12 that computes on the memory of that driver.
config.substitutions.append(("%stand_in_libraries", os.path.join(config.tc_build_root, "test", "stand-in-libraries")))
# libcudnn.so.9 that does so.
config.substitutions.append(("%stand_in_cudnn", os.path.join(config.tc_build_root, "test", "stand-in-cudnn")))
config.substitutions.append(("%examples", os.path.join(config.tc_source_root, "examples")))

# A tool that is not built leaves its name in the RUN line, and the test fails
# with the name of the missing command.
tc_tools = [
    ToolSubst(name, unresolved="ignore")
    for name in ("tc-opt", "tc-run", "tc-cache", "tc-compile", "tc-lsp-server", "tc-fuzz")
]
llvm_config.add_tool_substitutions(tc_tools, config.tc_tools_dir)
llvm_config.add_tool_substitutions(
    ["FileCheck", "not", "split-file", "count"], config.llvm_tools_dir
)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.tc_tools_dir, append_path=True)
llvm_config.with_system_environment(
    ["HOME", "CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_VISIBLE_DEVICES", "TC_TEST_FULL", "TC_TARGET", "TC_THREADS",
     "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"]
)

# No test finds what another one has assembled for a GPU, nor leaves it.
config.environment["TC_CACHE_DIR"] = ""

# The driver of the tests runs PTX, and no machine code.
config.environment["TC_PTXAS"] = "none"

unshare = shutil.which("unshare", path=config.environment["PATH"])
config.substitutions.append(("%unshare", str(unshare)))
if unshare and subprocess.run([unshare, "--map-root-user", "--root=/", "true"], capture_output=True).returncode == 0:
    config.available_features.add("namespaces")

if glob.glob("/dev/nvidia[0-9]*"):
    config.available_features.add("cuda")
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if all(shutil.which(tool, path=config.environment["PATH"]) for tool in ("qemu-aarch64", "aarch64-linux-gnu-g++")):
    config.available_features.add("qemu-aarch64")
if can_import(python, "torch"):
    config.available_features.add("torch")
if os.environ.get("TC_TEST_FULL") == "1":
    config.available_features.add("full")
