"""What the memory of a CUDA device allows: kernels with the reads and writes of a
row and no arithmetic, and a kernel that empties the second-level cache.

The kernels are PTX, written here and started through the CUDA driver, so that
nothing but the driver and torch is needed.
"""

import ctypes
import functools
import math
import statistics

import torch

UNIT = 16  # bytes of one access
FLUSH_BYTES = 256 << 20
WIDTHS, THREADS = (1, 2, 4, 8), (128, 256, 512, 1024)
MOST_REGISTERS = 16  # units that one thread holds
MOST_STREAMS = 4


def _ptx(reads, writes, units, threads):
    """A thread reads `units` units of each of `reads` arrays, a block apart, and
    writes as many to each of `writes`; loads come before the first use. Lines are
    of the usual priority in caches: those that are evicted first (`.cs`) take 1 to
    4% longer where something is written."""
    parameters = ", ".join(f".param .u64 p{i}" for i in range(reads + writes + 1))
    lines = [".version 7.0", ".target sm_80", ".address_size 64",
             f".visible .entry floor({parameters})", f".maxntid {threads}, 1, 1", "{",
             ".reg .pred %p<16>;", ".reg .b32 %r<128>;", ".reg .b64 %d<64>;",
             "mov.u32 %r0, %tid.x;", "mov.u32 %r1, %ctaid.x;", f"mul.wide.u32 %d0, %r1, {units * threads};",
             "cvt.u64.u32 %d1, %r0;", "add.u64 %d0, %d0, %d1;", f"ld.param.u64 %d2, [p{reads + writes}];"]
    for i in range(reads + writes):
        lines += [f"ld.param.u64 %d{3 + i}, [p{i}];", f"cvta.to.global.u64 %d{3 + i}, %d{3 + i};"]
    value = lambda read, unit: [f"%r{4 + 4 * (read * units + unit) + part}" for part in range(4)]
    offset = lambda unit: f"%d{16 + unit}"
    for unit in range(units):
        lines += [f"add.u64 %d15, %d0, {unit * threads};", f"setp.lt.u64 %p{unit}, %d15, %d2;",
                  f"shl.b64 {offset(unit)}, %d15, 4;"]
        lines += [f"mov.b32 {register}, %r0;" for read in range(max(reads, 1)) for register in value(read, unit)]
    for read in range(reads):
        for unit in range(units):
            lines += [f"add.u64 %d15, %d{3 + read}, {offset(unit)};",
                      f"@%p{unit} ld.global.v4.b32 {{{', '.join(value(read, unit))}}}, [%d15];"]
    for unit in range(units):
        for read in range(1, reads):
            lines += [f"xor.b32 {a}, {a}, {b};" for a, b in zip(value(0, unit), value(read, unit))]
        for write in range(writes):
            lines += [f"add.u64 %d15, %d{3 + reads + write}, {offset(unit)};",
                      f"@%p{unit} st.global.v4.b32 [%d15], {{{', '.join(value(0, unit))}}};"]
    if not writes:  # what is read has to be used
        lines += ["mov.b32 %r2, 0;"]
        lines += [f"xor.b32 %r2, %r2, {register};" for unit in range(units) for register in value(0, unit)]
        lines += ["setp.eq.u32 %p15, %r2, 305419896;", "@%p15 st.global.b32 [%d3], %r2;"]
    return "\n".join([*lines, "ret;", "}"]) + "\n"


class _Kernel:
    """A kernel over units of arrays of equal size."""

    def __init__(self, reads, writes, units, threads):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.units, self.threads = units, threads
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self.driver.cuModuleLoadData(ctypes.byref(module), _ptx(reads, writes, units, threads).encode()))
        self._check(self.driver.cuModuleGetFunction(ctypes.byref(self.function), module, b"floor"))

    @staticmethod
    def _check(status):
        if status:
            raise RuntimeError(f"the CUDA driver failed with error {status} in a kernel of the floors")

    def prepare(self, tensors, count):
        """A function that starts the kernel over `count` units of the tensors."""
        values = [ctypes.c_uint64(tensor.data_ptr()) for tensor in tensors] + [ctypes.c_uint64(count)]
        addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        blocks = -(-count // (self.units * self.threads))

        def call(keep=(values, tensors)):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self._check(self.driver.cuLaunchKernel(self.function, blocks, 1, 1, self.threads, 1, 1, 0, stream, addresses,
                                                   None))
        return call


_kernel = functools.cache(_Kernel)


def _noise(size):
    """Memory with a content that no hardware can compress."""
    return torch.randn(-(-size // 4096) * 1024, device="cuda")


def make_flush(cache="cold"):
    """A function that reads enough to push everything else out of the cache; what
    it leaves there is clean, so that the next kernel writes nothing back. Its loads
    are of the usual priority: those that are evicted first (`.cs`) evict each other,
    and leave what an earlier kernel has written for the next one to write back.
    Where the cache is to stay warm, one that does nothing."""
    if cache == "warm":
        return lambda: None
    return _Kernel(1, 0, 4, 256).prepare([_noise(FLUSH_BYTES)], FLUSH_BYTES // UNIT)


def streams_of(read_bytes, written_bytes):
    """How many equal arrays are read and how many written, so that the shares are
    those of the bytes; within 3% the fewest arrays that come near it."""
    share = read_bytes / (read_bytes + written_bytes)
    pairs = [(reads, writes) for reads in range(MOST_STREAMS + 1) for writes in range(MOST_STREAMS + 1)
             if reads + writes]
    wrong = lambda pair: abs(pair[0] / sum(pair) - share)
    near = [pair for pair in pairs if wrong(pair) <= 0.03] or [min(pairs, key=wrong)]
    return min(near, key=lambda pair: (sum(pair), wrong(pair)))


class Floor:
    """The kernel of so many bytes, in the fastest of some shapes."""

    def __init__(self, read_bytes, written_bytes, time_once):
        self.bytes = read_bytes + written_bytes
        self.reads, self.writes = streams_of(read_bytes, written_bytes)
        count = max(1, math.ceil(self.bytes / (self.reads + self.writes) / UNIT))
        tensors = [_noise(count * UNIT) for _ in range(self.reads + self.writes)]
        best = None
        for units in WIDTHS:
            if max(self.reads, 1) * units > MOST_REGISTERS:
                continue
            for threads in THREADS:
                if threads * max(self.reads, 1) * units * 4 > 32768:
                    continue
                call = _kernel(self.reads, self.writes, units, threads).prepare(tensors, count)
                seconds = statistics.median(time_once(call) for _ in range(7))
                if best is None or seconds < best:
                    best, self.call = seconds, call
                    self.shape = f"{units} x 16 bytes, {threads} threads"
        half = torch.empty(max(1, self.bytes // 2), dtype=torch.uint8, device="cuda")
        source = torch.empty_like(half)
        self.copy = lambda: half.copy_(source)

    def describe(self):
        return f"{self.reads} read, {self.writes} written; {self.shape}"
