// RUN: tc-opt %s --split-input-file --tc-plan-kernel-order | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-plan-kernel-order -o /dev/null --remarks-filter=tc-plan-kernel-order 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// A kernel that reduces a large intermediate runs before the next one is made.
// REMARK: remark: [Passed] reordered | Category:tc-plan-kernel-order | Function=branches | Peak=4224, PeakBefore=8256
// REMARK: Function=loop | Peak=4288, PeakBefore=8320
// REMARK-NOT: remark
// CHECK-LABEL: func.func @branches(
// CHECK: tc.kernel "a"
// CHECK: tc.kernel "c"
// CHECK: tc.kernel "b"
// CHECK: tc.kernel "d"
// CHECK: tc.kernel "e"
func.func @branches(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  %a = tc.buffer : memref<1024xf32>
  tc.kernel "a" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
  %b = tc.buffer : memref<1024xf32>
  tc.kernel "b" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %b : memref<1024xf32>) {}
  %c = tc.buffer : memref<16xf32>
  %v = tc.buffer_reshape %a : memref<1024xf32> -> memref<32x32xf32>
  tc.kernel "c" custom dims [] ins(%i = %v : memref<32x32xf32>) outs(%o = %c : memref<16xf32>) {}
  %d = tc.buffer : memref<16xf32>
  tc.kernel "d" custom dims [] ins(%i = %b : memref<1024xf32>) outs(%o = %d : memref<16xf32>) {}
  tc.kernel "e" custom dims [] ins(%i = %c : memref<16xf32>, %j = %d : memref<16xf32>) outs(%o = %y : memref<1024xf32>) {}
  return
}

// -----

// A chain stays as it is.
// CHECK-LABEL: func.func @chain(
// CHECK: tc.kernel "a"
// CHECK: tc.kernel "b"
// CHECK: tc.kernel "c"
func.func @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = tc.buffer : memref<64xf32>
  %b = tc.buffer : memref<64xf32>
  tc.kernel "a" custom dims [] ins(%i = %x : memref<64xf32>) outs(%o = %a : memref<64xf32>) {}
  tc.kernel "b" custom dims [] ins(%i = %a : memref<64xf32>) outs(%o = %b : memref<64xf32>) {}
  tc.kernel "c" custom dims [] ins(%i = %b : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
  return
}

// -----

// A kernel that updates a buffer stays after those that read it before.
// CHECK-LABEL: func.func @update(
// CHECK: tc.kernel "read"
// CHECK: tc.kernel "update"
func.func @update(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  %a = tc.buffer : memref<1024xf32>
  %b = tc.buffer : memref<1024xf32>
  %c = tc.buffer : memref<1024xf32>
  tc.kernel "make" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
  tc.kernel "read" custom dims [] ins(%i = %a : memref<1024xf32>) outs(%o = %b : memref<1024xf32>) {}
  tc.kernel "update" scatter dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
  tc.kernel "use" custom dims [] ins(%i = %a : memref<1024xf32>, %j = %b : memref<1024xf32>) outs(%o = %y : memref<1024xf32>) {}
  return
}

// -----

// A loop is one kernel: what its regions read and its condition come first.
// CHECK-LABEL: func.func @loop(
// CHECK: tc.kernel "a"
// CHECK: tc.kernel "c"
// CHECK: tc.kernel "flag"
// CHECK: tc.kernel "b"
// CHECK: tc.while
// CHECK: tc.kernel "behind"
func.func @loop(%x: memref<1024xf32>, %y: memref<1024xf32>) {
  %a = tc.buffer : memref<1024xf32>
  %b = tc.buffer : memref<1024xf32>
  %c = tc.buffer : memref<16xf32>
  %d = tc.buffer : memref<16xf32>
  %goes = tc.buffer : memref<i1>
  tc.kernel "a" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %a : memref<1024xf32>) {}
  tc.kernel "b" custom dims [] ins(%i = %x : memref<1024xf32>) outs(%o = %b : memref<1024xf32>) {}
  tc.kernel "flag" custom dims [] outs(%o = %goes : memref<i1>) {}
  tc.kernel "c" custom dims [] ins(%i = %a : memref<1024xf32>) outs(%o = %c : memref<16xf32>) {}
  tc.while {
    tc.yield %goes : memref<i1>
  } do {
    tc.kernel "d" custom dims [] ins(%i = %b : memref<1024xf32>) outs(%o = %d : memref<16xf32>, %p = %goes : memref<i1>) {}
  }
  tc.kernel "behind" custom dims [] ins(%i = %c : memref<16xf32>, %j = %d : memref<16xf32>) outs(%o = %y : memref<1024xf32>) {}
  return
}
