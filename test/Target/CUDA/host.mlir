// The calls of the host to the driver, recorded by a driver that runs no kernels.
// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %examples/perceptron.mlir --random-inputs=0 --device=cuda | FileCheck %s --check-prefix=ZEROS
// RUN: FileCheck %s --input-file=%t.log --check-prefix=CALLS
// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %s --random-inputs=0 --device=cuda --output=
// RUN: FileCheck %s --input-file=%t.log --check-prefix=STATUS

// No kernel has run.
// ZEROS: 32x16xf32=[0 0 0 0

// Inputs go to the device, the arena is one allocation, all kernels are loaded before the first launch, the second
// one reads what the first one writes, and the output comes back when the device is done. Memory is kept.
// CALLS: cuInit()
// CALLS: cuDevicePrimaryCtxRetain()
// CALLS-NEXT: cuMemAllocAsync(8192)
// CALLS-NEXT: cuMemcpyHtoD(memory 1, 8192)
// CALLS: cuMemcpyHtoD(memory 5, 64)
// CALLS-NEXT: cuMemAllocAsync(2048)
// CALLS-NEXT: cuMemAllocAsync(16384)
// CALLS-NEXT: cuModuleLoadDataEx(PTX)
// CALLS-DAG: cuModuleLoadDataEx(PTX)
// CALLS-DAG: cuModuleGetFunction(contract_broadcast_add_gelu_0)
// CALLS-DAG: cuModuleGetFunction(contract_broadcast_add_1)
// CALLS: cuLaunchKernelEx(contract_broadcast_add_gelu_0, {{[0-9]+ x [0-9]+(, shared [0-9]+)?}}, programmatic, memory 1, memory 2, memory 3, memory 7, 0)
// CALLS-NEXT: cuLaunchKernelEx(contract_broadcast_add_1, {{[0-9]+ x [0-9]+(, shared [0-9]+)?}}, programmatic, memory 7, memory 4, memory 5, memory 6, 0)
// CALLS-NEXT: cuCtxSynchronize()
// CALLS-NEXT: cuMemcpyDtoH(memory 6, 2048)
// CALLS-NOT: cu

// An index is checked on the device: the host reads the status when the stream has come to the end of the call.
// STATUS: cuMemHostAlloc(65536)
// STATUS-NEXT: cuMemAllocAsync
// STATUS: cuLaunchKernelEx({{.*}}, memory {{[0-9]+}})
// STATUS-NEXT: cuStreamSynchronize()
func.func @gather(%x: tensor<6x3xf32>, %i: tensor<6x10xi64>) -> tensor<6x10xf32> {
  %r = tc.gather %x[%i] dim 1 : tensor<6x3xf32>, tensor<6x10xi64> -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
