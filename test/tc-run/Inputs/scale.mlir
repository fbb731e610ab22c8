// y = x * w, with w in a file.
module attributes {tc.phase = "generate"} {
  tc.parameter_source @w : tensor<4xf32> {file = "weights.bin", offset = 16 : i64, role = "parameter"}
  func.func @main(%x: memref<4xf32>) attributes {tc.signature = {inputs = ["x"]}} {
    %w = tc.parameter @w : memref<4xf32>
    %o = tc.output_buffer 0 : memref<4xf32>
    tc.launch @scale count <4> grain <4> (%x, %w, %o) : memref<4xf32>, memref<4xf32>, memref<4xf32>
    return
  }
  func.func private @scale(%context: !llvm.ptr, %begin: i64, %end: i64) {
    %one = arith.constant 1 : i64
    %x = llvm.load %context : !llvm.ptr -> !llvm.ptr
    %wslot = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %w = llvm.load %wslot : !llvm.ptr -> !llvm.ptr
    %oslot = llvm.getelementptr %context[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %o = llvm.load %oslot : !llvm.ptr -> !llvm.ptr
    scf.for %i = %begin to %end step %one : i64 {
      %xi = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %wi = llvm.getelementptr %w[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %oi = llvm.getelementptr %o[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %a = llvm.load %xi : !llvm.ptr -> f32
      %b = llvm.load %wi : !llvm.ptr -> f32
      %r = arith.mulf %a, %b : f32
      llvm.store %r, %oi : f32, !llvm.ptr
    }
    return
  }
}
