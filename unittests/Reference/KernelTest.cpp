//===- KernelTest.cpp - Kernels on tensors and on buffers -----------------===//

#include "ReferenceTest.h"

using namespace mlir;

namespace tc::reference {

using KernelTest = ReferenceTest;

static constexpr const char *kSoftmax = R"(
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %init = tc.empty : tensor<2x3xf32>
  %r = tc.kernel "softmax" row_reduction dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 3>]
      ins(%a = %x : tensor<2x3xf32>) outs(%o = %init : tensor<2x3xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<2x3xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %s = tc.sub %v, %m : f32
    %e = tc.exp %s : f32
    %t = tc.reduce_stage sum %e over [1] : f32 -> f32
    %q = tc.div %e, %t : f32
    tc.write %q, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
})";

TEST_F(KernelTest, SoftmaxAgreesWithTheOp) {
  Tensor x = floats("f32", {2, 3}, {1, 2, 3, -1, 0, 100});
  Tensor expected = runOp("tc.softmax %a0 dim 1 : tensor<2x3xf32>", {x},
                          "tensor<2x3xf32>", Precision::Double);
  expectFloats(
      run(kSoftmax, {x}, Precision::Double)[0],
      ArrayRef<double>(expected.data<double>(), expected.getElementCount()),
      1e-15);
}

TEST_F(KernelTest, TransposedReadAndShiftWithZeroOutside) {
  Tensor x = count("f32", {3, 2}, 1);
  expectFloats(run(R"(
func.func @f(%x: tensor<3x2xf32>) -> tensor<2x4xf32> {
  %init = tc.empty : tensor<2x4xf32>
  %r = tc.kernel "pad" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>]
      ins(%a = %x : tensor<3x2xf32>) outs(%o = %init : tensor<2x4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1 - 1, d0)>] within affine_set<(d0, d1) : (d1 - 1 >= 0)> : tensor<3x2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
})",
                   {x})[0],
               {0, 1, 3, 5, 0, 2, 4, 6});
}

static std::string getReadKernel(StringRef map) {
  return ("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
          "  %init = tc.empty : tensor<4xf32>\n"
          "  %r = tc.kernel \"read\" pointwise dims [#tc.dim<\"i\", parallel, "
          "4>]\n"
          "      ins(%a = %x : tensor<4xf32>) outs(%o = %init : tensor<4xf32>) "
          "{\n"
          "    %v = tc.read %a[affine_map<(d0) -> (" +
          map +
          ")>] : tensor<4xf32> -> f32\n"
          "    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>\n"
          "  }\n"
          "  return %r : tensor<4xf32>\n"
          "}\n")
      .str();
}

TEST_F(KernelTest, IndexMaps) {
  Tensor x = count("f32", {4});
  expectFloats(run(getReadKernel("3 - d0"), {x})[0], {3, 2, 1, 0});
  expectFloats(run(getReadKernel("d0 floordiv 2"), {x})[0], {0, 0, 1, 1});
  expectFloats(run(getReadKernel("(d0 + 1) mod 4"), {x})[0], {1, 2, 3, 0});
  // The verifier sees corners of the domain, the interpreter every point.
  expectError(
      getReadKernel("d0 + 1"), {x},
      "'tc.read' op has index 4 for dimension 0 of a buffer, of size 4, "
      "at a corner of the kernel's domain");
  expectError(getReadKernel("(d0 * 5) mod 6"), {x},
              "'tc.read' op has index 5 out of range for dimension 0 of a "
              "buffer, of size 4");
}

TEST_F(KernelTest, DynamicIndices) {
  StringRef text = R"(
func.func @f(%x: tensor<3x2xf32>, %i: tensor<2xi64>) -> tensor<2x2xf32> {
  %init = tc.empty : tensor<2x2xf32>
  %r = tc.kernel "embedding" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>]
      ins(%a = %x : tensor<3x2xf32>, %b = %i : tensor<2xi64>) outs(%o = %init : tensor<2x2xf32>) {
    %k = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<2xi64> -> i64
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d2, d1)>] at %k : i64 : tensor<3x2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
})";
  expectFloats(
      run(text, {count("f32", {3, 2}), integers("i64", {2}, {2, 0})})[0],
      {4, 5, 0, 1});
  expectError(text, {count("f32", {3, 2}), integers("i64", {2}, {2, 3})},
              "'tc.read' op has index 3 out of range");
}

TEST_F(KernelTest, ScatterCombinesInOrder) {
  expectFloats(run(R"(
func.func @f(%x: tensor<4xf32>, %i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<4xf32> {
  %r = tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 3>]
      ins(%a = %i : tensor<3xi64>, %b = %u : tensor<3xf32>) outs(%o = %x : tensor<4xf32>) {
    %k = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<3xi64> -> i64
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<3xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %k : i64 combine sum : f32, tensor<4xf32>
  }
  return %r : tensor<4xf32>
})",
                   {count("f32", {4}), integers("i64", {3}, {3, 1, 3}),
                    floats("f32", {3}, {10, 20, 30})})[0],
               {0, 21, 2, 43});
}

TEST_F(KernelTest, ContractionWithPrologueAndEpilogue) {
  expectFloats(run(R"(
func.func @f(%x: tensor<2x3xbf16>, %w: tensor<2x3xbf16>) -> tensor<2x2xf32> {
  %init = tc.empty : tensor<2x2xf32>
  %r = tc.kernel "linear" contraction
      dims [#tc.dim<"m", parallel, 2>, #tc.dim<"n", parallel, 2>, #tc.dim<"k", reduced, 3>]
      ins(%a = %x : tensor<2x3xbf16>, %b = %w : tensor<2x3xbf16>) outs(%o = %init : tensor<2x2xf32>) {
    %l = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<2x3xbf16> -> bf16
    %p = tc.neg %l : bf16
    %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<2x3xbf16> -> bf16
    %c = tc.contract_stage %p, %q over [2] : bf16, bf16 -> f32
    %i = tc.index affine_map<(d0, d1, d2) -> (d0 * 10 + d1)> : i64
    %f = tc.cast %i : i64 to f32
    %s = tc.add %c, %f : f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
})",
                   {count("bf16", {2, 3}, 1), count("bf16", {2, 3}, 1)})[0],
               {-14, -32 + 1, -32 + 10, -77 + 11});
}

TEST_F(KernelTest, StagesOfSeveralResults) {
  auto results = run(R"(
func.func @f(%x: tensor<2x3xf32>) -> (tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>) {
  %e0 = tc.empty : tensor<f32>
  %e1 = tc.empty : tensor<i64>
  %e2 = tc.empty : tensor<2xf32>
  %e3 = tc.empty : tensor<2xf32>
  %r:4 = tc.kernel "stages" row_reduction dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", reduced, 3>]
      ins(%a = %x : tensor<2x3xf32>)
      outs(%o0 = %e0 : tensor<f32>, %o1 = %e1 : tensor<i64>, %o2 = %e2 : tensor<2xf32>, %o3 = %e3 : tensor<2xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<2x3xf32> -> f32
    %m, %i = tc.reduce_stage argmax %v over [0, 1] : f32 -> f32, i64
    %mean, %m2 = tc.reduce_stage welford %v over [1] : f32 -> f32, f32
    tc.write %m, %o0[affine_map<(d0, d1) -> ()>] : f32, tensor<f32>
    tc.write %i, %o1[affine_map<(d0, d1) -> ()>] : i64, tensor<i64>
    tc.write %mean, %o2[affine_map<(d0, d1) -> (d0)>] : f32, tensor<2xf32>
    tc.write %m2, %o3[affine_map<(d0, d1) -> (d0)>] : f32, tensor<2xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<f32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>
})",
                     {floats("f32", {2, 3}, {1, 2, 3, 4, 9, 5})});
  ASSERT_EQ(results.size(), 4u);
  expectFloats(results[0], {9});
  expectIntegers(results[1], {4});
  expectFloats(results[2], {2, 6});
  expectFloats(results[3], {2, 14});
}

TEST_F(KernelTest, SumOverADimensionThatTheValueDoesNotVaryOver) {
  expectFloats(run(R"(
func.func @f() -> tensor<f32> {
  %init = tc.empty : tensor<f32>
  %r = tc.kernel "count" row_reduction dims [#tc.dim<"i", reduced, 5>] ins() outs(%o = %init : tensor<f32>) {
    %c = tc.scalar 2.0 : f32
    %s = tc.reduce_stage sum %c over [0] : f32 -> f32
    tc.write %s, %o[affine_map<(d0) -> ()>] : f32, tensor<f32>
  }
  return %r : tensor<f32>
})",
                   {})[0],
               {10});
}

TEST_F(KernelTest, ScanAndSortStages) {
  auto results = run(R"(
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi64>) {
  %e0 = tc.empty : tensor<4xf32>
  %e1 = tc.empty : tensor<4xf32>
  %e2 = tc.empty : tensor<4xi64>
  %r:3 = tc.kernel "scan" scan dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>)
      outs(%o0 = %e0 : tensor<4xf32>, %o1 = %e1 : tensor<4xf32>, %o2 = %e2 : tensor<4xi64>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    %s = tc.scan_stage sum %v along 0 : f32
    %t, %i = tc.sort_stage %v along 0 : f32 -> f32, i64
    tc.write %s, %o0[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    tc.write %t, %o1[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    tc.write %i, %o2[affine_map<(d0) -> (d0)>] : i64, tensor<4xi64>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
})",
                     {floats("f32", {4}, {3, 1, 3, 2})});
  ASSERT_EQ(results.size(), 3u);
  expectFloats(results[0], {3, 4, 7, 9});
  expectFloats(results[1], {1, 2, 3, 3});
  expectIntegers(results[2], {1, 3, 0, 2});
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// y = exp(-x), with the intermediate and exp(x) in one arena.
static std::string getArenaFunction(StringRef secondOffset) {
  return (R"(
func.func @f(%x: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %arena = tc.arena <128> : memref<128xi8>
  %t = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<4xf32>
  %u = tc.arena_view %arena offset <)" +
          secondOffset + R"(> : memref<128xi8> -> memref<4xf32>
  %y = tc.output_buffer 0 : memref<4xf32>
  %z = tc.output_buffer 1 : memref<4xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : memref<4xf32>) outs(%o = %t : memref<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  tc.kernel "double" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : memref<4xf32>) outs(%o = %u : memref<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    %n = tc.add %v, %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %t : memref<4xf32>, %b = %u : memref<4xf32>)
      outs(%o = %y : memref<4xf32>, %p = %z : memref<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    %w = tc.read %b[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
    tc.write %w, %p[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  return %y, %z : memref<4xf32>, memref<4xf32>
})")
      .str();
}

TEST_F(KernelTest, ArenaBuffers) {
  auto results = run(getArenaFunction("64"), {count("f32", {4}, 1)});
  ASSERT_EQ(results.size(), 2u);
  expectFloats(results[0], {-1, -2, -3, -4});
  expectFloats(results[1], {2, 4, 6, 8});
}

// A plan whose buffers overlap while both are live gives wrong values, as it
// would when compiled.
TEST_F(KernelTest, OverlappingArenaPlanShows) {
  auto results = run(getArenaFunction("0"), {count("f32", {4}, 1)});
  ASSERT_EQ(results.size(), 2u);
  expectFloats(results[0], {2, 4, 6, 8});
}

TEST_F(KernelTest, ArenaViewMustLieInTheArena) {
  expectError(getArenaFunction("120"), {count("f32", {4}, 1)},
              "'tc.arena_view' op takes bytes 120 to 136 of an arena of 128");
}

TEST_F(KernelTest, PartialOverlapOfInputAndOutputIsAnError) {
  expectError(R"(
func.func @f() {
  %arena = tc.arena <128> : memref<128xi8>
  %t = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<4xf32>
  %u = tc.arena_view %arena offset <8> : memref<128xi8> -> memref<4xf32>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %t : memref<4xf32>) outs(%o = %u : memref<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  return
})",
              {},
              "'tc.kernel' op has input 0 at bytes 0 to 16 that overlaps "
              "output 0 at bytes 8 to 24");
}

TEST_F(KernelTest, UpdateInPlaceChangesTheArgument) {
  run(R"(
func.func @f(%x: memref<2x2xbf16>) {
  %r = tc.buffer_reshape %x : memref<2x2xbf16> -> memref<4xbf16>
  tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %r : memref<4xbf16>) outs(%o = %r : memref<4xbf16>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xbf16> -> bf16
    %n = tc.neg %v : bf16
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : bf16, memref<4xbf16>
  }
  return
})",
      {count("bf16", {2, 2}, 1)});
  expectFloats(lastArguments[0], {-1, -2, -3, -4});
}

TEST_F(KernelTest, SymbolicSizes) {
  Tensor x = count("f32", {6, 2});
  auto results = run(R"(
func.func @f(%x: memref<?x2xf32, #tc.sizes<[s0 * 2, 2]>>) -> memref<?xf32, #tc.sizes<[s0]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 8>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "last" row_reduction dims [#tc.dim<"i", parallel, s0>] symbols [#tc.expr<s0>]
      ins(%a = %x : memref<?x2xf32, #tc.sizes<[s0 * 2, 2]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0 + s0, 1)>] : memref<?x2xf32, #tc.sizes<[s0 * 2, 2]>> -> f32
    tc.write %v, %o[affine_map<(d0)[s0] -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return %y : memref<?xf32, #tc.sizes<[s0]>>
})",
                     {x});
  ASSERT_EQ(results.size(), 1u);
  expectFloats(results[0], {7, 9, 11});
}

} // namespace tc::reference
