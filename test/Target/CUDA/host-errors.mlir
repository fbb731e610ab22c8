// An error of the driver becomes a message that names the operation.
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_DEVICES=0 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: tc-run: error: there is no CUDA device 0 of 0

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuInit:1=999 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=START
// START: tc-run: error: the CUDA driver cannot start: unknown error (error 999)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuMemAllocAsync:1=2 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: tc-run: error: no memory for 72 bytes on CUDA device 0: out of memory (error 2)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuMemAllocAsync:3=2 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: tc-run: error: no memory for output 0, 6x10xf32, 240 bytes on CUDA device 0

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuModuleLoadDataEx:1=218 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: tc-run: error: the kernel 'gather_0' cannot be loaded: unknown error (error 218)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuModuleGetFunction:1=500 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: tc-run: error: there is no kernel 'gather_0' in its image: unknown error (error 500)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuLaunchKernelEx:1=719 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=LAUNCH
// LAUNCH: tc-run: error: the kernel 'gather_0' cannot be started: unspecified launch failure (error 719)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuStreamSynchronize:1=719 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: tc-run: error: the kernel 'gather_0' (launch 1, {{[0-9]+}} blocks of {{[0-9]+}} threads) failed on CUDA device 0: unspecified launch failure (error 719)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuMemcpyDtoH:1=719 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: tc-run: error: a tensor cannot be copied from the device: unspecified launch failure (error 719)

// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuMemHostAlloc:1=2 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=STATUS
// STATUS: tc-run: error: no memory for the failures of kernels, 65536 bytes of the host: out of memory (error 2)

// A kernel says that an index is out of range.
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_STATUS=1 not tc-run %s --random-inputs=0 --device=cuda 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_STATUS=1 not tc-run %s --random-inputs=0 --device=cuda --benchmark --benchmark_min_time=0.01 --launch-blocking 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: tc-run: error: {{.*}}host-errors.mlir:[[@LINE+7]]:8: an index is out of the range of the tensor it selects from, in the kernel 'gather_0'

// Times are those of events, which may fail.
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_FAIL=cuEventRecord:1=719 not tc-run %s --random-inputs=0 --device=cuda --profile 2>&1 | FileCheck %s --check-prefix=EVENT
// EVENT: tc-run: error: {{.*}}unspecified launch failure (error 719)

func.func @main(%x: tensor<6x3xf32>, %i: tensor<6x10xi64>) -> tensor<6x10xf32> {
  %r = tc.gather %x[%i] dim 1 : tensor<6x3xf32>, tensor<6x10xi64> -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
