// RUN: tc-opt %s --verify-diagnostics "--tc-assign-target=target=tpu"
// RUN: not tc-opt %s "--tc-assign-target=target=cpu:pentium99" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-opt %s "--tc-assign-target=target=cuda:sm_9" 2>&1 | FileCheck %s --check-prefix=GPU

// CHIP: error: the target names the cpu 'pentium99', which LLVM does not know
// GPU: error: the target names chip 'sm_9', expected one that LLVM knows
// expected-error @+1 {{the target is 'tpu', expected cpu, cpu:NAME, cpu:NAME:+FEATURE,-FEATURE or cuda:sm_NN}}
module {}
