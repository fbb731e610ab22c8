// y = 4 x, through an arena, with one symbol that two inputs depend on.
module attributes {tc.phase = "generate"} {
  func.func @main(%x: memref<?x8xf32, #tc.sizes<[s0, 8]>>, %y: memref<?xf32, #tc.sizes<[s0 * 2 + 1]>>) attributes {tc.signature = {inputs = ["x", "y"]}, tc.symbols = [#tc.symbol<"s0", min = 2, max = 64, divisor = 2>]} {
    %o = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0 * 8]>>
    %c = tc.buffer_reshape %x : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> memref<?xf32, #tc.sizes<[s0 * 8]>>
    %a = tc.arena <s0 * 32> : memref<?xi8>
    %t = tc.arena_view %a offset <0> : memref<?xi8> -> memref<?xf32, #tc.sizes<[s0 * 8]>>
    tc.launch @double count <s0 * 8> grain <64> (%c, %t) sizes [#tc.expr<s0>] : memref<?xf32, #tc.sizes<[s0 * 8]>>, memref<?xf32, #tc.sizes<[s0 * 8]>>
    tc.launch @double count <s0 * 8> grain <64> (%t, %o) sizes [#tc.expr<s0>] : memref<?xf32, #tc.sizes<[s0 * 8]>>, memref<?xf32, #tc.sizes<[s0 * 8]>>
    return
  }
  func.func private @double(%context: !llvm.ptr, %begin: i64, %end: i64) {
    %one = arith.constant 1 : i64
    %x = llvm.load %context : !llvm.ptr -> !llvm.ptr
    %slot = llvm.getelementptr %context[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %o = llvm.load %slot : !llvm.ptr -> !llvm.ptr
    scf.for %i = %begin to %end step %one : i64 {
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %to = llvm.getelementptr %o[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      %r = arith.addf %v, %v : f32
      llvm.store %r, %to : f32, !llvm.ptr
    }
    return
  }
}
