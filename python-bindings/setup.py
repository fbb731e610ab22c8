"""Says that the package holds machine code: a wheel of it is for one Python and one kind of machine."""

from pathlib import Path

from setuptools import Distribution, setup


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


# The module for Python 3.12 serves all later versions (the stable ABI).
stable = list((Path(__file__).parent / "tc").glob("_native.abi3.so"))
setup(distclass=BinaryDistribution, options={"bdist_wheel": {"py_limited_api": "cp312"}} if stable else {})
