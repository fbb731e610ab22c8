"""The least time a row can take on this machine: its traffic at the rate of a
copy or a read of as many bytes, its arithmetic at the rate of independent f32
multiply-adds, both measured in the same rounds as the row."""

import ctypes
import mmap
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("floors.cpp")
LARGEST_COPY = 256 << 20  # bytes of a buffer
HUGE_PAGE = 2 << 20
MULTIPLY_ADD_ROUNDS = 50_000


def _build(directory):
    compiler = next(filter(shutil.which, ("clang++-22", "clang++", "g++")))
    library = Path(directory) / "libfloors.so"
    width = ["-mprefer-vector-width=512"] if "clang" in compiler else []
    subprocess.run([compiler, "-O3", "-march=native", *width, "-ffp-contract=fast", "-std=c++20", "-shared",
                    "-fPIC", SOURCE, "-o", library, "-lpthread"], check=True)
    return ctypes.CDLL(str(library))


class _Buffer:
    """Memory in huge pages, where the system gives them."""

    def __init__(self, size):
        self.memory = mmap.mmap(-1, size + HUGE_PAGE)
        self.memory.madvise(mmap.MADV_HUGEPAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.address = ctypes.c_void_p(-(-start // HUGE_PAGE) * HUGE_PAGE)
        ctypes.memset(self.address, 1, size)


class Floors:
    def __init__(self, threads):
        self.threads = threads
        with tempfile.TemporaryDirectory() as directory:
            self.library = _build(directory)
        for function in ("copy_rate", "read_rate", "multiply_add_rate"):
            getattr(self.library, function).restype = ctypes.c_double
        self.row = None

    def start(self, row):
        """Prepares for measurements next to `row`."""
        self.row, self.byte_rates, self.flop_rates = row, [], []
        if row.bytes:
            self.size = min(int(row.bytes / 2) // 64 * 64, LARGEST_COPY)
            self.source, self.target = _Buffer(self.size), _Buffer(self.size)

    def measure(self):
        if self.row.bytes:
            size = ctypes.c_int64(self.size)
            repeats = ctypes.c_int64(max(1, (16 << 20) // self.size))
            copy = self.library.copy_rate(self.target.address, self.source.address, size, repeats, self.threads)
            read = self.library.read_rate(self.source.address, size, repeats, self.threads)
            self.byte_rates.append(max(copy, read))
        if self.row.flops:
            self.flop_rates.append(self.library.multiply_add_rate(ctypes.c_int64(MULTIPLY_ADD_ROUNDS), self.threads))

    def finish(self):
        """{"floor": nanoseconds, and the rates}, or {} where the row has no floor."""
        result = {}
        if self.byte_rates:
            result["bytes_per_second"] = statistics.median(self.byte_rates)
            result["floor"] = 1e9 * self.row.bytes / result["bytes_per_second"]
        if self.flop_rates:
            result["flops_per_second"] = statistics.median(self.flop_rates)
            result["floor"] = max(result.get("floor", 0), 1e9 * self.row.flops / result["flops_per_second"])
        self.source = self.target = None
        return result
