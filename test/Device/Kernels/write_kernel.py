#!/usr/bin/env python3
"""Prints the module of a hand-written kernel: what phase generate would make of it.

usage: write_kernel.py [--program] NAME [KEY=NUMBER ...]

NAME is a function of rows.py, columns.py, gemm.py or attention.py, the keys are its
arguments. With --program prints what the kernel computes, as a program in tc ops."""

import inspect
import sys

import attention
import columns
import gemm
import programs
import rows

KERNELS = {function.__name__: function for function in (rows.layer_norm, rows.softmax, columns.transpose,
                                                        columns.column_sum, gemm.gemm, attention.attention)}


def main(arguments):
    prints_program = arguments[:1] == ["--program"]
    name, *settings = arguments[prints_program:] or [""]
    if name not in KERNELS:
        sys.exit(f"write_kernel.py: error: the kernel is '{name}', expected {', '.join(KERNELS)}")
    known = inspect.signature(KERNELS[name]).parameters
    keys = {}
    for setting in settings:
        key, _, value = setting.partition("=")
        if key not in known or not value.isdecimal():
            sys.exit(f"write_kernel.py: error: '{setting}', expected KEY=NUMBER with a key of {', '.join(known)}")
        keys[key] = int(value)
    write = getattr(programs, name) if prints_program else KERNELS[name]
    sys.stdout.write(write(**keys))


if __name__ == "__main__":
    main(sys.argv[1:])
