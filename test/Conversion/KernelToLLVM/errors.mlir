// RUN: not tc-opt %s --convert-kernel-to-llvm=target=cpu:pentium99 2>&1 | FileCheck %s

// An unknown target is refused by name.
// CHECK: error: the target names the cpu 'pentium99', which LLVM does not know for
func.func private @kernel() {
  return
}
