// Calls that repeat are CUDA graphs in mode reduce-overhead. tc-run calls three times: as ever, recorded, and as a graph.
// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %examples/perceptron.mlir --random-inputs=0 --device=cuda --mode=reduce-overhead --explain --output= | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --input-file=%t.log --check-prefix=CALLS

// EXPLAIN: CUDA graphs:
// EXPLAIN-NEXT: inputs {{[0-9x, ]+}}: 1 CUDA graph of 2 kernels

// CALLS: cuLaunchKernelEx(contract_broadcast_add_gelu_0
// CALLS-NEXT: cuLaunchKernelEx(contract_broadcast_add_1
// CALLS-NEXT: cuCtxSynchronize
// CALLS-NEXT: cuMemcpyDtoH
// CALLS-NEXT: cuLaunchKernelEx(contract_broadcast_add_gelu_0, {{[0-9]+ x [0-9]+(, shared [0-9]+)?}}, programmatic, memory 1, memory 2, memory 3, memory [[ARENA:[0-9]+]], 0)
// CALLS-NEXT: cuLaunchKernelEx(contract_broadcast_add_1
// CALLS-NEXT: cuGraphCreate
// CALLS-NEXT: cuGraphAddKernelNode(contract_broadcast_add_gelu_0
// CALLS-NEXT: cuGraphAddKernelNode(contract_broadcast_add_1
// CALLS-NEXT: cuGraphAddDependencies
// CALLS-NEXT: cuGraphInstantiateWithFlags(2)
// CALLS: cuGraphLaunch(contract_broadcast_add_gelu_0, {{[0-9]+ x [0-9]+(, shared [0-9]+)?}}, memory 1, memory 2, memory 3, memory [[ARENA]], 0; contract_broadcast_add_1
// CALLS-NOT: cuLaunchKernel

// Each kernel is timed on its own.
// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %examples/perceptron.mlir --random-inputs=0 --device=cuda --mode=reduce-overhead --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE: contract_broadcast_add_1{{ +}}1{{ +}}1000.00{{ +}}50.0%

// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %examples/perceptron.mlir --random-inputs=0 --device=cuda --mode=reduce-overhead --benchmark --benchmark_min_time=0.01 | FileCheck %s --check-prefix=BENCHMARK
// RUN: FileCheck %s --input-file=%t.log --check-prefix=GRAPHS
// BENCHMARK: device: cold median 2.000 ms
// GRAPHS: cuGraphInstantiateWithFlags(2)
// GRAPHS-COUNT-20: cuGraphLaunch(contract_broadcast_add_gelu_0

// What the host waits for ends a graph, which remarks say with the op's place.
// RUN: tc-run %s --target=cuda:sm_90a --mode=reduce-overhead --explain --compile-to=emit | FileCheck %s --check-prefix=REMARK
// REMARK: mode: a CUDA graph ends where the host reads the condition of a branch ({{.*}}graphs.mlir:[[#@LINE+2]])
func.func @main(%c: tensor<i1>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = tc.if %c : tensor<i1> -> tensor<8xf32> {
    %a = tc.exp %x : tensor<8xf32>
    tc.yield %a : tensor<8xf32>
  } else {
    %b = tc.neg %x : tensor<8xf32>
    tc.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
