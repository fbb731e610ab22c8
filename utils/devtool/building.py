"""Configures and builds with a CMake preset: `default`, into build/, or another."""

from . import packages
from .python_environment import PYTHON
from .shell import BUILD, jobs, run


def build(targets=(), with_tests=False, preset="default", folder=BUILD):
    """Builds `targets`, or everything. The unit tests are part of the build
    when they are asked for, or when gtest is there anyway."""
    packages.install(packages.BUILD_PACKAGES)
    if with_tests:
        packages.install(packages.TEST_PACKAGES)
    tests = all(package.is_present() for package in packages.GTEST_PACKAGES)
    options = [f"-DTC_ENABLE_TESTS={'ON' if tests else 'OFF'}"]
    if PYTHON.exists():
        options.append(f"-DPython_EXECUTABLE={PYTHON}")
    run(["cmake", "--preset", preset, *options], "configuring")
    run(["ninja", "-C", folder, f"-j{jobs()}", *targets], "the build")
