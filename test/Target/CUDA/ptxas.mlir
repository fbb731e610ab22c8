// REQUIRES: ptxas
// RUN: tc-run %s --target=cuda:sm_90a --print-assembly --random-inputs=1 --size=s0=8 > %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: rm -rf %t && split-file %t.txt %t
// RUN: ls %t | xargs -I{} ptxas -arch=sm_90a -o /dev/null %t/{}
// RUN: tc-run %s --target=cuda:sm_80 --print-assembly --random-inputs=1 --size=s0=8 > %t.80.txt
// RUN: rm -rf %t.80 && split-file %t.80.txt %t.80
// RUN: ls %t.80 | xargs -I{} ptxas -arch=sm_80 -o /dev/null %t.80/{}

// The assembler takes the PTX of every class of kernel, with its launch bounds; nothing is left to link.
// CHECK-NOT: .extern
// CHECK: .visible .entry
// CHECK: .maxntid {{[0-9]+}}
// CHECK-NOT: __nv_
module {
  func.func @main(%x: tensor<?x1000xf32, #tc.sizes<[s0, 1000]>>) -> tensor<?x1000xf32, #tc.sizes<[s0, 1000]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
    %0 = tc.softmax %x dim 1 : tensor<?x1000xf32, #tc.sizes<[s0, 1000]>>
    return %0 : tensor<?x1000xf32, #tc.sizes<[s0, 1000]>>
  }
}
