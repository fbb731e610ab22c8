// RUN: tc-opt %s --split-input-file --verify-diagnostics "--tc-assign-target=target=tpu"
// RUN: not tc-opt %s "--tc-assign-target=target=cpu:pentium99" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-opt %s "--tc-assign-target=target=cuda:sm_9" 2>&1 | FileCheck %s --check-prefix=GPU

// RUN: not tc-opt %s "--tc-assign-target=target=cpu:i386" 2>&1 | FileCheck %s --check-prefix=I386
// RUN: not tc-opt %s "--tc-assign-target=target=cpu:host:+avx512fp61" 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not tc-opt %s "--tc-assign-target=target=cpu:x86-64-v3:avx512f" 2>&1 | FileCheck %s --check-prefix=SIGN

// RUN: not tc-opt %s "--tc-assign-target=libraries=mkl" 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: the option libraries is 'mkl'; expected none, host, or cublaslt, cudnn or both

// CHIP: error: the target names the cpu 'pentium99', which LLVM does not know for {{[^ ]+}} (did you mean 'pentium' or 'pentium-m' or 'pentium2' or 'pentium3'?); for example x86-64-v3, znver4 or host{{$}}
// I386: error: the target's cpu 'i386' lacks 64bit, which all code for {{[^ ]+}} needs{{$}}
// FEATURE: error: the target names the feature 'avx512fp61', which LLVM does not know for {{[^ ]+}} (did you mean {{.*}}'avx512fp16'{{.*}}){{$}}
// SIGN: error: the target has the feature 'avx512f', expected +avx512f or -avx512f{{$}}
// GPU: error: the target names chip 'sm_9', expected one that LLVM knows
// expected-error @+1 {{the target is 'tpu', expected cpu, cpu:NAME, cpu:NAME:+FEATURE,-FEATURE or cuda:sm_NN}}
module {}

// -----

// A target that was written by hand.
// expected-error @+1 {{the target's cpu 'i386' lacks 64bit, which all code for x86_64-pc-linux-gnu needs}}
module attributes {tc.target = #tc.target<"cpu", chip = "i386", features = "">} {}
