// RUN: tc-opt %s --tc-verify-emit --split-input-file --verify-diagnostics

llvm.func @kernel() {
  // expected-error @+2 {{'arith.constant' op is left after phase emit; expected ops of the llvm dialect and tc.parameter_source}}
  // expected-note @+1 {{convert-kernel-to-llvm should have lowered it in kernels, convert-tc-to-llvm in host functions}}
  %0 = arith.constant 0 : i32
  llvm.return
}

// -----

// expected-error @+2 {{'llvm.func' op is a host function of type '!llvm.func<void ()>'; expected i32 (ptr)}}
// expected-note @+1 {{convert-tc-to-llvm should have made it one}}
llvm.func @main() attributes {tc.signature = {}} {
  llvm.return
}
