// Products of matrices are calls of cuBLASLt, here of one that computes on the host's memory.
// DEFINE: %{run} = env STAND_IN_RUNS=1 STAND_IN_LOG=%t.log LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-run %s --device=cuda --libraries=host --random-inputs=0 --check --tolerance=2e-2,1e-2
// RUN: rm -f %t.log
// RUN: %{run} --function=linear
// RUN: %{run} --function=batches
// RUN: %{run} --function=transposed
// RUN: %{run} --function=slices --size=s0=40
// RUN: %{run} --function=few_tiles
// RUN: FileCheck %s --input-file=%t.log

// The bias and the activation are the library's; matrices are transposed where they are.
// CHECK: cublasLtMatmulAlgoGetHeuristic(workspace 0, schemes 2, alignments 256 256 256 256)
// CHECK-NEXT: cublasLtMatmul(memory [[#]] 120x136 pitch 120 T, memory [[#]] 120x72 pitch 120, memory [[#]] 136x72 pitch 136, epilogue 6, bias memory [[#]])
func.func @linear(%x: tensor<72x120xf32>, %w: tensor<136x120xf32>, %b: tensor<136xf32>) -> tensor<72x136xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<72x120xf32>, tensor<136x120xf32> -> tensor<72x136xf32>
  %1 = tc.broadcast %b dims [1] : tensor<136xf32> -> tensor<72x136xf32>
  %2 = tc.add %0, %1 : tensor<72x136xf32>
  %3 = tc.relu %2 : tensor<72x136xf32>
  return %3 : tensor<72x136xf32>
}

// CHECK: cublasLtMatmul(memory [[#]] 48x80 pitch 48 batch 5 stride 3840, memory [[#]] 80x64 pitch 80 batch 5 stride 5120, memory [[#]] 48x64 pitch 48 batch 5 stride 3072, epilogue 32)
func.func @batches(%x: tensor<5x64x80xf16>, %y: tensor<5x80x48xf16>) -> tensor<5x64x48xf16> {
  %0 = tc.contract "bmk,bkn->bmn" %x, %y : tensor<5x64x80xf16>, tensor<5x80x48xf16> -> tensor<5x64x48xf16>
  %s = tc.constant dense<2.500000e-01> : tensor<f16>
  %t = tc.broadcast %s dims [] : tensor<f16> -> tensor<5x64x48xf16>
  %1 = tc.mul %0, %t : tensor<5x64x48xf16>
  %2 = tc.gelu_tanh %1 : tensor<5x64x48xf16>
  return %2 : tensor<5x64x48xf16>
}

// CHECK: cublasLtMatmul(memory [[#]] 96x128 pitch 96, memory [[#]] 96x128 pitch 96 T, memory [[#]] 96x96 pitch 96, epilogue 1)
func.func @transposed(%x: tensor<128x96xbf16>, %y: tensor<128x96xbf16>) -> tensor<96x96xbf16> {
  %0 = tc.contract "km,kn->mn" %x, %y : tensor<128x96xbf16>, tensor<128x96xbf16> -> tensor<96x96xbf16>
  return %0 : tensor<96x96xbf16>
}

// Rows of a wider matrix, of a size that the call has.
// CHECK: cublasLtMatmul(memory [[#]] 128x256 pitch 128, memory [[#]] 256x40 pitch 300, memory [[#]] 128x40 pitch 128, epilogue 1
func.func @slices(%x: tensor<?x300xf32, #tc.sizes<[s0, 300]>>, %w: tensor<256x128xf32>) -> tensor<?x128xf32, #tc.sizes<[s0, 128]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.slice %x offsets <[0, 40]> strides [1, 1] : tensor<?x300xf32, #tc.sizes<[s0, 300]>> -> tensor<?x256xf32, #tc.sizes<[s0, 256]>>
  %1 = tc.contract "mk,kn->mn" %0, %w : tensor<?x256xf32, #tc.sizes<[s0, 256]>>, tensor<256x128xf32> -> tensor<?x128xf32, #tc.sizes<[s0, 128]>>
  return %1 : tensor<?x128xf32, #tc.sizes<[s0, 128]>>
}

// A long sum over few tiles has workspace for parts of it.
// CHECK: cublasLtMatmulAlgoGetHeuristic(workspace [[BYTES:[1-9][0-9]*]],
// CHECK-NEXT: cublasLtMatmul({{.*}}, workspace [[BYTES]])
func.func @few_tiles(%x: tensor<32x2048xf32>, %w: tensor<24x2048xf32>) -> tensor<32x24xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<32x2048xf32>, tensor<24x2048xf32> -> tensor<32x24xf32>
  return %0 : tensor<32x24xf32>
}

// A call that repeats makes no plan again; a CUDA graph ends ahead of it, as a remark says.
// RUN: rm -f %t.log
// RUN: env STAND_IN_RUNS=1 STAND_IN_LOG=%t.log LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-run %s --device=cuda --libraries=host --function=graphs --random-inputs=0 --mode=reduce-overhead --explain --output= | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --input-file=%t.log --check-prefix=GRAPHS
// EXPLAIN: mode: a CUDA graph ends where cuBLASLt computes 'contract' ({{.*}}library-calls.mlir:[[#@LINE+9]]
// EXPLAIN: CUDA graphs:
// EXPLAIN-NEXT: inputs 64x128, 128x160: 1 CUDA graph of 2 kernels
// GRAPHS-COUNT-1: cublasLtMatmulAlgoGetHeuristic
// GRAPHS: cuGraphInstantiateWithFlags(2)
// GRAPHS-NOT: cublasLtMatmulAlgoGetHeuristic
// GRAPHS: cublasLtMatmul(
// GRAPHS-NEXT: cuGraphLaunch(max_0
func.func @graphs(%x: tensor<64x128xf32>, %w: tensor<128x160xf32>) -> tensor<64xf32> {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<64x128xf32>, tensor<128x160xf32> -> tensor<64x160xf32>
  %1 = tc.reduce max %0 dims [1] : tensor<64x160xf32> -> tensor<64xf32>
  %2 = tc.reduce max %x dims [1] : tensor<64x128xf32> -> tensor<64xf32>
  %3 = tc.add %1, %2 : tensor<64xf32>
  return %3 : tensor<64xf32>
}

// Profilers see the call under the kernel's name.
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-run %s --device=cuda --libraries=host --function=transposed --random-inputs=0 --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE: contract{{ +}}1{{ +}}1000.00{{ +}}100.0%

// TC's own code computes them unless libraries are asked for.
// RUN: env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-run %s --device=cuda --function=transposed --random-inputs=0 --libraries=none --profile | FileCheck %s --check-prefix=NONE
// RUN: env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries tc-run %s --device=cuda --function=transposed --random-inputs=0 --profile | FileCheck %s --check-prefix=NONE
// NONE: contract_{{[0-9]+ +}}1{{ +}}1000.00{{ +}}100.0%

// What fails names the kernel, the shape and the library's function.
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries STAND_IN_FAIL=cublasLtMatmul:1=13 tc-run %s --device=cuda --libraries=host --function=batches --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error: cuBLASLt cannot compute 'contract_mul_gelu_tanh', 64x80 by 80x48 of f16, 5 times: cublasLtMatmul gives CUBLAS_STATUS_EXECUTION_FAILED (status 13); compiled with libraries=none the program does not need it
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries STAND_IN_FAIL=cublasLtMatmulAlgoGetHeuristic:1=15 tc-run %s --device=cuda --libraries=host --function=transposed --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: cuBLASLt cannot compute 'contract', 96x128 by 128x96 of bf16: cublasLtMatmulAlgoGetHeuristic gives CUBLAS_STATUS_NOT_SUPPORTED (status 15)
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries STAND_IN_FAIL=cublasLtCreate:1=1 tc-run %s --device=cuda --libraries=host --function=transposed --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=HANDLE
// HANDLE: error: cuBLASLt cannot compute 'contract', 96x128 by 128x96 of bf16: cublasLtCreate gives CUBLAS_STATUS_INTERNAL_ERROR (status 1)

// So does what fails on the device afterwards.
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_libraries STAND_IN_FAIL=cuCtxSynchronize:1=719 tc-run %s --device=cuda --libraries=host --function=transposed --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: error: the kernel 'contract' (launch 1, by a library) failed on CUDA device 0: unspecified launch failure (error 719)

// A library that is not there is not called, unless the target is said to have it. (One that is no library hides those of this machine.)
// RUN: rm -rf %t.broken && mkdir -p %t.broken && cp %stand_in_driver/libcuda.so.1 %t.broken && echo text > %t.broken/libcublasLt.so.12
// RUN: env LD_LIBRARY_PATH=%t.broken tc-run %s --device=cuda --libraries=host --function=transposed --random-inputs=0 --profile | FileCheck %s --check-prefix=NONE
// RUN: not env LD_LIBRARY_PATH=%t.broken tc-run %s --device=cuda --function=transposed --random-inputs=0 --libraries=cublaslt --output= 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the program has 'contract' computed by cuBLASLt: cuBLASLt cannot be opened ({{.*}}libcublasLt.so.12{{.*}}); put the library's folder into LD_LIBRARY_PATH, or compile with libraries=none

// RUN: not tc-run %s --libraries=mkl 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --libraries=mkl is not known, expected none or host or cublaslt or cudnn
