"""The stand-in driver from Python: kernels written down in PTX run on the host.

STAND_IN_RUNS has to be set, and LD_LIBRARY_PATH to name the driver's folder.
"""

import ctypes
import os

HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"


class Device:
    """One device; after an error of a kernel it takes no more calls."""

    def __init__(self, ordinal=0):
        os.environ.setdefault("STAND_IN_DEVICES", "32")
        self.driver = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), ordinal)
        self.driver.cuCtxSetCurrent(context)

    def allocate(self, size):
        address = ctypes.c_uint64()
        error = self.driver.cuMemAllocAsync(ctypes.byref(address), ctypes.c_size_t(size), None)
        assert not error, error
        return address.value

    def read(self, address, size):
        buffer = ctypes.create_string_buffer(size)
        error = self.driver.cuMemcpyDtoH_v2(buffer, ctypes.c_uint64(address), ctypes.c_size_t(size))
        assert not error, error
        return buffer.raw

    def write(self, address, data):
        error = self.driver.cuMemcpyHtoD_v2(ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))
        assert not error, error

    def launch(self, body, pointers, *, module="", attributes="", blocks=1, threads=1, shared=0):
        """Runs a body whose parameters are `p0`, `p1` and so on, of 64 bits; the error of the launch."""
        parameters = ", ".join(f".param .u64 p{i}" for i in range(len(pointers)))
        text = f"{HEADER}{module}\n.visible .entry kernel({parameters}) {attributes}\n{{\n{body}\n}}\n".encode()
        handle, function = ctypes.c_void_p(), ctypes.c_void_p()
        error = self.driver.cuModuleLoadDataEx(ctypes.byref(handle), text, 0, None, None)
        error = error or self.driver.cuModuleGetFunction(ctypes.byref(function), handle, b"kernel")
        assert not error, error
        values = (ctypes.c_uint64 * len(pointers))(*pointers)
        size = ctypes.c_size_t(8 * len(pointers))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(values), 2, ctypes.addressof(size), 0)
        return self.driver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, None, None, extra)
