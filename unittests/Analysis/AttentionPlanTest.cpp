//===- AttentionPlanTest.cpp - Memory of a task of attention --------------===//

#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/ContractionPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {

/// Sizes of an attention; `heads` may be a symbol of at least `leastHeads`.
struct Shape {
  std::string heads = "8";
  int64_t leastHeads = 1;
  int64_t rows = 64, keys = 64, depth = 32, columns = 32;
  bool isBF16 = true;
};

std::string makeText(const Shape &shape, StringRef chip) {
  bool isSymbolic = !llvm::isDigit(shape.heads.front());
  std::string element = shape.isBF16 ? "bf16" : "f32";
  auto getType = [&](int64_t points, int64_t last) {
    std::string sizes = "x" + std::to_string(points) + "x" +
                        std::to_string(last) + "x" + element;
    if (!isSymbolic)
      return "tensor<" + shape.heads + sizes + ">";
    return "tensor<?" + sizes + ", #tc.sizes<[" + shape.heads + ", " +
           std::to_string(points) + ", " + std::to_string(last) + "]>>";
  };
  std::string q = getType(shape.rows, shape.depth),
              k = getType(shape.keys, shape.depth),
              v = getType(shape.keys, shape.columns),
              o = getType(shape.rows, shape.columns);
  auto dim = [](StringRef name, StringRef kind, const std::string &size) {
    return "#tc.dim<\"" + name.str() + "\", " + kind.str() + ", " + size + ">";
  };
  auto map = [](StringRef results) {
    return "[affine_map<(b, q, v, k, d) -> (" + results.str() + ")>]";
  };
  std::string weight = shape.isBF16 ? "%h" : "%w",
              result = shape.isBF16 ? "%z" : "%y";
  std::string text = "module attributes {tc.target = #tc.target<\"cpu\", chip "
                     "= \"" +
                     chip.str() +
                     "\", features = \"\">} {\nfunc.func @f(%q: " + q +
                     ", %k: " + k + ", %v: " + v + ") -> " + o;
  if (isSymbolic)
    text += " attributes {tc.symbols = [#tc.symbol<\"" + shape.heads +
            "\", min = " + std::to_string(shape.leastHeads) + ", max = 4096>]}";
  text += " {\n%e = tc.empty : " + o +
          "\n%0 = tc.kernel \"attention\" attention dims [" +
          dim("b", "parallel", shape.heads) + ", " +
          dim("q", "parallel", std::to_string(shape.rows)) + ", " +
          dim("v", "parallel", std::to_string(shape.columns)) + ", " +
          dim("k", "reduced", std::to_string(shape.keys)) + ", " +
          dim("d", "reduced", std::to_string(shape.depth)) +
          "] ins(%i = %q : " + q + ", %j = %k : " + k + ", %l = %v : " + v +
          ") outs(%o = %e : " + o + ") {\n";
  auto read = [&](StringRef name, StringRef from, StringRef results,
                  const std::string &type) {
    return name.str() + " = tc.read " + from.str() + map(results) + " : " +
           type + " -> " + element + "\n";
  };
  auto contract = [&](StringRef name, StringRef operands, StringRef over,
                      bool isBF16) {
    std::string type = isBF16 ? "bf16" : "f32";
    return name.str() + " = tc.contract_stage " + operands.str() + " over [" +
           over.str() + "] : " + type + ", " + type + " -> f32\n";
  };
  text += read("%a", "%i", "b, q, d", q) + read("%c", "%j", "b, k, d", k) +
          contract("%s", "%a, %c", "4", shape.isBF16) +
          "%m = tc.reduce_stage max %s over [3] : f32 -> f32\n"
          "%n = tc.sub %s, %m : f32\n%w = tc.exp %n : f32\n"
          "%t = tc.reduce_stage sum %w over [3] : f32 -> f32\n" +
          read("%u", "%l", "b, k, v", v);
  if (shape.isBF16)
    text += "%h = tc.cast %w : f32 to bf16\n";
  text += contract("%x", weight + ", %u", "3", shape.isBF16) +
          "%y = tc.div %x, %t : f32\n";
  if (shape.isBF16)
    text += "%z = tc.cast %y : f32 to bf16\n";
  return text + "tc.write " + result + ", %o" + map("b, q, v") + " : " +
         element + ", " + o + "\n}\nreturn %0 : " + o + "\n}\n}\n";
}

class AttentionPlanTest : public ::testing::Test {
protected:
  AttentionPlanTest() { context.loadDialect<TCDialect, func::FuncDialect>(); }

  /// The schedule of an attention for the CPU `chip`.
  AttentionScheduleAttr choose(const Shape &shape, StringRef chip) {
    std::string text = makeText(shape, chip);
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << text;
      return {};
    }
    module->walk([&](KernelOp op) { kernel = op; });
    machine = MachineModel::get(kernel);
    parts = TiledAttention::find(kernel, KernelDims(kernel));
    if (!parts) {
      ADD_FAILURE() << "no attention";
      return {};
    }
    return chooseAttentionSchedule(kernel, *parts, machine);
  }
  AttentionPlan plan(AttentionScheduleAttr schedule) {
    return *planAttention(kernel, *parts, schedule, machine);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  KernelOp kernel;
  MachineModel machine;
  std::optional<TiledAttention> parts;
};

TEST_F(AttentionPlanTest, VectorsPackTheKeysAlone) {
  Shape shape;
  shape.isBF16 = false;
  auto schedule = choose(shape, "sapphirerapids");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule.getMultiplyAdds(), MultiplyAddKind::Vector);
  AttentionPlan chosen = plan(schedule);
  EXPECT_FALSE(chosen.packsAll());
  EXPECT_EQ(chosen.getPackedBytes(), 64 * 32 * 4);
  // 64 scores, in whose place the results are, a maximum and a sum.
  EXPECT_EQ(chosen.getRowBytes(), 4 * (64 + 2));
  EXPECT_EQ(chosen.getTaskBytes(6), 64 * 32 * 4 + 6 * 4 * (64 + 2));
}

TEST_F(AttentionPlanTest, KeysOfAnyDepthTakeNoMoreThanTheirPoints) {
  for (int64_t depth : {1, 3, 7, 8, 12, 20, 33, 64}) {
    Shape shape;
    shape.isBF16 = false;
    shape.depth = depth;
    for (StringRef chip : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
      auto schedule = choose(shape, chip);
      ASSERT_TRUE(schedule);
      EXPECT_EQ(plan(schedule).getPackedBytes(), 64 * depth * 4)
          << depth << " on " << chip.str();
    }
  }
}

TEST_F(AttentionPlanTest, PairsAreOfWholeStepsOfPoints) {
  Shape shape;
  shape.heads = "64";
  shape.keys = 50;
  shape.depth = 20;
  auto schedule = choose(shape, "sapphirerapids");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule.getMultiplyAdds(), MultiplyAddKind::AMX);
  EXPECT_EQ(schedule.getRows(), 32);
  AttentionPlan chosen = plan(schedule);
  // Keys in panels of 32 lanes with 32 points; values of 64 keys.
  EXPECT_EQ(chosen.countKeyElements(), 64 * 32);
  EXPECT_EQ(chosen.countValueElements(), 32 * 64);
  EXPECT_EQ(chosen.getPackedBytes(), 2 * (64 * 32 + 32 * 64));
  EXPECT_EQ(chosen.queryStride, 32 + 32);
  EXPECT_EQ(chosen.scoreStride, 64 + 16);
}

TEST_F(AttentionPlanTest, PairsAreChosenWhereLittleOfWhatIsWrittenIsPacked) {
  int64_t count = 0, pairs = 0;
  for (StringRef chip : {"sapphirerapids", "znver4"})
    for (int64_t heads : {1, 2, 4, 8, 16, 32, 64})
      for (int64_t points : {16, 64, 200}) {
        Shape shape;
        shape.heads = std::to_string(heads);
        shape.rows = shape.keys = points;
        auto schedule = choose(shape, chip);
        ASSERT_TRUE(schedule);
        ++count;
        if (schedule.getMultiplyAdds() == MultiplyAddKind::Vector)
          continue;
        ++pairs;
        AttentionPlan chosen = plan(schedule);
        int64_t written = heads * points * shape.columns * 2;
        EXPECT_LE(
            chosen.getTaskBytes(schedule.getRows()),
            std::max(getTasksBytes(written),
                     // No more than vectors with packed keys.
                     4 * int64_t(llvm::alignTo(points, 64)) * 32 +
                         8 * 4 * (int64_t(llvm::alignTo(points, 64)) + 2)));
      }
  EXPECT_GT(pairs, 0);
  EXPECT_LT(pairs, count);
}

TEST_F(AttentionPlanTest, SymbolicSizesCountAtTheirLeast) {
  Shape shape;
  shape.heads = "s0";
  shape.leastHeads = 1;
  auto few = choose(shape, "sapphirerapids");
  ASSERT_TRUE(few);
  EXPECT_EQ(few.getMultiplyAdds(), MultiplyAddKind::Vector);
  // From twice the bytes of a task on, tiles have all rows.
  EXPECT_EQ(few.getFewBelow(), 2 * plan(few).getTaskBytes(few.getRows()));
  EXPECT_LT(few.getFewRows(), few.getRows());
  shape.leastHeads = 64;
  auto many = choose(shape, "sapphirerapids");
  ASSERT_TRUE(many);
  EXPECT_EQ(many.getMultiplyAdds(), MultiplyAddKind::AMX);
}

TEST_F(AttentionPlanTest, ConstantSizesThatWriteLittleHaveTilesOfFewRows) {
  Shape shape;
  shape.isBF16 = false;
  shape.heads = "1";
  shape.rows = 8;
  auto schedule = choose(shape, "x86-64-v4");
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule.getFewBelow(), 0);
  shape.heads = "64";
  EXPECT_LT(schedule.getRows(), choose(shape, "x86-64-v4").getRows());
}

TEST_F(AttentionPlanTest, RefusesPairsThatNothingMultiplies) {
  Shape shape;
  shape.heads = "64";
  auto schedule = choose(shape, "sapphirerapids");
  ASSERT_TRUE(schedule);
  ASSERT_EQ(schedule.getMultiplyAdds(), MultiplyAddKind::AMX);
  choose(shape, "znver4");
  EXPECT_FALSE(planAttention(kernel, *parts, schedule, machine));
  EXPECT_TRUE(mayMultiplyBy(*parts, MultiplyAddKind::VectorBF16, machine));
  choose(shape, "x86-64-v4");
  EXPECT_FALSE(mayMultiplyBy(*parts, MultiplyAddKind::VectorBF16, machine));
  shape.isBF16 = false;
  choose(shape, "sapphirerapids");
  EXPECT_FALSE(mayMultiplyBy(*parts, MultiplyAddKind::AMX, machine));
  EXPECT_FALSE(planAttention(kernel, *parts, schedule, machine));
}

} // namespace
