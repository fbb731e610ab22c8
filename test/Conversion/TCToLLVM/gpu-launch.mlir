// RUN: tc-opt %s --split-input-file --convert-tc-to-llvm | FileCheck %s
// RUN: tc-opt %s --split-input-file --convert-tc-to-llvm | FileCheck %s --check-prefix=DATA
// RUN: tc-opt %s --split-input-file --convert-tc-to-llvm | FileCheck %s --check-prefix=COUNTERS
// RUN: tc-opt %s --split-input-file --convert-tc-to-llvm | FileCheck %s --check-prefix=SIZE
// RUN: tc-opt %s --split-input-file --convert-tc-to-llvm | FileCheck %s --check-prefix=ALIGNED

// Launches of a GPU: each kernel has constant data that says how it is started, in the list of all kernels of the
// module. A launch gives the runtime this, the number of blocks and the arguments as one block on the stack.

// DATA-DAG: llvm.mlir.global internal constant @k_image("PTX of k\00")
// DATA-DAG: llvm.mlir.global internal @k_handles(dense<0> : tensor<64xi64>) {{.*}} : !llvm.array<64 x i64>
// DATA-LABEL: llvm.mlir.global internal constant @k_descriptor()
// DATA-DAG: llvm.mlir.addressof @k_image : !llvm.ptr
// DATA-DAG: llvm.mlir.addressof @k_handles : !llvm.ptr
// DATA-DAG: llvm.mlir.addressof @tc_kernel_list : !llvm.ptr
// DATA-DAG: llvm.mlir.constant(24 : i32) : i32
// DATA-DAG: llvm.mlir.constant(96 : i32) : i32
// DATA-DAG: llvm.mlir.constant(2 : i32) : i32
// DATA-DAG: llvm.mlir.constant(50000 : i32) : i32
// DATA-DAG: llvm.mlir.constant(1 : i32) : i32
// DATA: llvm.return
// DATA-LABEL: llvm.mlir.global internal constant @tc_kernel_list_kernels()
// DATA: llvm.mlir.addressof @k_descriptor
// DATA: llvm.mlir.addressof @plain_descriptor

// CHECK-LABEL: llvm.func @main(
// CHECK: %[[FAILURES:.*]] = llvm.mlir.addressof @main_failures
// CHECK: %[[STATUS:.*]] = llvm.call %{{.*}}(%{{.*}}, %[[FAILURES]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @k_descriptor
// CHECK: llvm.call %{{.*}}(%{{.*}}, %[[KERNEL]], %{{.*}}, %[[BLOCK:.*]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> i32
// The second launch that may fail has the status after the first.
// CHECK: llvm.getelementptr %[[STATUS]][1] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: llvm.mlir.addressof @plain_descriptor
// CHECK: llvm.mlir.addressof @plain_descriptor
// Nobody waits for them: the runtime reports them later, by the names and places of the launches.
// CHECK-NOT: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> i64
// CHECK: llvm.mlir.global internal constant @main_failures_kernels() {{.*}} : !llvm.array<2 x ptr>
// CHECK: llvm.mlir.global internal constant @main_failures_locations() {{.*}} : !llvm.array<2 x ptr>
// CHECK: llvm.mlir.global internal @main_failures_handles(dense<0> : tensor<64xi64>)
// CHECK: llvm.mlir.global internal constant @main_failures() {{.*}} : !llvm.struct<(i64, ptr, i64, ptr, ptr, ptr)>
// CHECK-DAG: llvm.mlir.constant(48 : i64)
// CHECK-DAG: llvm.mlir.constant(2 : i64)
// CHECK-DAG: llvm.mlir.addressof @main_failures_handles
// CHECK-DAG: llvm.mlir.addressof @main_failures_kernels
// CHECK-DAG: llvm.mlir.addressof @main_failures_locations
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of k">]
  gpu.binary @plain [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of plain">]
  func.func @main(%x: memref<4xf32>) attributes {tc.signature = {inputs = ["x"]}} {
    %o = tc.output_buffer 0 : memref<4xf32>
    tc.launch @k count <4> grain <1> (%x, %o) {threads = 96 : i64, cluster = 2 : i64, shared_bytes = 50000 : i64, programmatic, may_fail} : memref<4xf32>, memref<4xf32>
    tc.launch @plain count <1> grain <1> (%x, %o) {threads = 32 : i64, may_fail} : memref<4xf32>, memref<4xf32>
    tc.launch @plain count <1> grain <1> (%o, %o) {threads = 32 : i64} : memref<4xf32>, memref<4xf32>
    return
  }
}

// -----

// A launch that uses counters has their address behind the status, and 8 bytes of arguments more.

// COUNTERS-LABEL: llvm.mlir.global internal constant @last_descriptor()
// COUNTERS: llvm.mlir.constant(32 : i32) : i32
// COUNTERS-LABEL: llvm.func @counted(
// COUNTERS: llvm.getelementptr %{{.*}}[0, 16]
// COUNTERS: %[[COUNTERS:.*]] = llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> !llvm.ptr
// COUNTERS: %[[SLOT:.*]] = llvm.getelementptr %{{.*}}[3] : (!llvm.ptr) -> !llvm.ptr, i64
// COUNTERS-NEXT: llvm.store %[[COUNTERS]], %[[SLOT]]
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @last [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of last">]
  func.func @counted(%x: memref<4xf32>) attributes {tc.signature = {inputs = ["x"]}} {
    %o = tc.output_buffer 0 : memref<4xf32>
    tc.launch @last count <4> grain <1> (%x, %o) {threads = 96 : i64, uses_counters} : memref<4xf32>, memref<4xf32>
    return
  }
}

// -----

// A function that reads a size from the device waits for its statuses there and at its end.

// SIZE-LABEL: llvm.func @size(
// SIZE: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> !llvm.ptr
// SIZE-COUNT-2: llvm.call %{{.*}}(%{{.*}}) : !llvm.ptr, (!llvm.ptr) -> i64
// SIZE-NOT: size_failures
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of k">]
  func.func @size(%x: memref<4xf32>, %n: memref<i64>) attributes {
      tc.signature = {inputs = ["x", "n"]}, tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
    %o = tc.output_buffer 0 : memref<4xf32>
    tc.launch @k count <4> grain <1> (%x, %o) {threads = 96 : i64, may_fail} : memref<4xf32>, memref<4xf32>
    tc.size_from "u0" = %n : memref<i64>
    tc.launch @k count <4> grain <1> (%x, %o) {threads = 96 : i64, may_fail} : memref<4xf32>, memref<4xf32>
    return
  }
}

// -----

// The inputs of a launch that needs aligned buffers, the first and the third, are aligned before their addresses are
// loaded.

// ALIGNED-LABEL: llvm.func @aligned(
// ALIGNED: %[[FIELD:.*]] = llvm.getelementptr %{{.*}}[0, 20]
// ALIGNED: %[[ALIGN:.*]] = llvm.load %[[FIELD]]
// ALIGNED: %[[WANTED:.*]] = llvm.mlir.constant(5 : i64) : i64
// ALIGNED: llvm.store %[[WANTED]], %[[SLOT:.*]] : i64, !llvm.ptr
// ALIGNED: llvm.call %[[ALIGN]](%{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> i32
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @vectors [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of vectors">]
  gpu.binary @plain [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of plain">]
  func.func @aligned(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<2x2xf32>) attributes {
      tc.signature = {inputs = ["x", "y", "z"]}} {
    %o = tc.output_buffer 0 : memref<4xf32>
    %flat = tc.buffer_reshape %z : memref<2x2xf32> -> memref<4xf32>
    tc.launch @vectors count <4> grain <1> (%x, %flat, %o) {aligned_buffers, threads = 96 : i64} : memref<4xf32>, memref<4xf32>, memref<4xf32>
    tc.launch @plain count <4> grain <1> (%x, %y, %o) {threads = 96 : i64} : memref<4xf32>, memref<4xf32>, memref<4xf32>
    return
  }
}
