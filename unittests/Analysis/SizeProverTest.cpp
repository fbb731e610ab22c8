//===- SizeProverTest.cpp - Tests of proofs about sizes -------------------===//

#include "TC/Analysis/SizeProver.h"
#include "TC/Analysis/SizeFacts.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace tc;

namespace {
class SizeProverTest : public ::testing::Test {
protected:
  SizeProverTest() { context.loadDialect<TCDialect, func::FuncDialect>(); }

  SizeExpr parse(const std::string &text) {
    auto attribute = parseAttribute("#tc.expr<" + text + ">", &context);
    EXPECT_TRUE(attribute) << text;
    return cast<SizeExpr>(attribute);
  }

  /// The facts of a function with these symbols and this body.
  const SizeFacts &factsOf(const std::string &symbols,
                           const std::string &body = "") {
    module = parseSourceString<ModuleOp>(
        "func.func @f() attributes {tc.symbols = [" + symbols + "]} {\n" +
            body + "\nreturn\n}",
        &context);
    EXPECT_TRUE(module);
    facts.emplace(*module->getOps<func::FuncOp>().begin());
    return *facts;
  }

  SizePrecondition condition(const std::string &value, SizeRelation relation,
                             const std::string &bound,
                             const std::string &where = "") {
    return {"value", parse(value), relation,
            "bound", parse(bound), where.empty() ? SizeExpr() : parse(where)};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::optional<SizeFacts> facts;
};
} // namespace

// A function's symbols without and with a divisor, and of one value.
static const char *const kSymbols =
    R"(#tc.symbol<"s0", min = 0, max = 64, divisor = 16>,
       #tc.symbol<"s1", min = 0, max = 5>, #tc.symbol<"s2", min = 1, max = 1>)";

TEST_F(SizeProverTest, ProvesEachRelation) {
  SizeProver prover(factsOf(kSymbols));
  auto proves = [&](auto... parts) {
    return prover.proves(condition(parts...));
  };
  EXPECT_TRUE(proves("s1 * s1 + s1", SizeRelation::AtMost, "30"));
  EXPECT_FALSE(proves("s1 * s1 + s1", SizeRelation::AtMost, "29"));
  EXPECT_TRUE(proves("s0 - 3 * s0", SizeRelation::AtMost, "s2 - 1"));
  EXPECT_TRUE(proves("s0 floordiv 4 * 4", SizeRelation::Equal, "s0"));
  EXPECT_FALSE(proves("s1 floordiv 4 * 4", SizeRelation::Equal, "s1"));
  EXPECT_TRUE(proves("s0 * s1", SizeRelation::MultipleOf, "8"));
  EXPECT_FALSE(proves("s0 * s1", SizeRelation::MultipleOf, "32"));
  EXPECT_TRUE(proves("s1 floordiv s2", SizeRelation::AtLeast, "0"));
  EXPECT_TRUE(proves("s1 mod s0", SizeRelation::AtMost, "s1"));
  EXPECT_TRUE(proves("s2", SizeRelation::Equal, "1"));
}

TEST_F(SizeProverTest, ProvesByCases) {
  SizeProver prover(factsOf(kSymbols));
  auto proves = [&](auto... parts) {
    return prover.proves(condition(parts...));
  };
  EXPECT_TRUE(proves("max(s0, s1) - s1", SizeRelation::AtLeast, "0"));
  EXPECT_TRUE(proves("max(s1, 3) + s0", SizeRelation::AtMost, "s0 + 5"));
  EXPECT_TRUE(
      proves("min(s0, s1) * 2 + s1", SizeRelation::AtMost, "s0 * 2 + 5"));
  EXPECT_TRUE(
      proves("min(s0 + 7, s1 + 8)", SizeRelation::AtLeast, "min(s0, s1) + 7"));
  EXPECT_FALSE(proves("min(s0, s1)", SizeRelation::AtLeast, "s1"));
  // What is known of a minimum or maximum says something in each case, too.
  EXPECT_TRUE(proves("s1", SizeRelation::AtLeast, "4", "max(0, s1 - 3)"));
  EXPECT_FALSE(proves("s1", SizeRelation::AtLeast, "5", "max(0, s1 - 3)"));
}

// Facts from guards are known like those from ranges, and in the same terms.
TEST_F(SizeProverTest, ReadsGuards) {
  SizeProver prover(factsOf(
      R"(#tc.symbol<"s0", min = 0, max = 64>,
         #tc.symbol<"s1", min = 0, max = 64>)",
      R"(tc.guard scalar() {expr = #tc.expr<s0 mod 16>, min = 0, max = 0}
         tc.size_guard "tc.slice" needs "the end" <s1 + 2> at_most "x" <s0>
         tc.size_guard "tc.slice" needs "n" <s1 * s1> at_most "x" <9> where <s1>)"));
  auto proves = [&](auto... parts) {
    return prover.proves(condition(parts...));
  };
  EXPECT_TRUE(proves("s0 floordiv 16 * 16", SizeRelation::Equal, "s0"));
  EXPECT_TRUE(proves("s0", SizeRelation::AtLeast, "16"));
  EXPECT_TRUE(proves("s0 floordiv 16", SizeRelation::AtLeast, "1"));
  EXPECT_FALSE(proves("s0", SizeRelation::AtLeast, "17"));
  EXPECT_TRUE(proves("s1 * s1", SizeRelation::AtMost, "9", "s1"));
}

// Where nothing is asked for, everything holds.
TEST_F(SizeProverTest, ProvesWhatIsAskedForAlone) {
  SizeProver prover(factsOf(R"(#tc.symbol<"s0", min = 0, max = 64>,
                               #tc.symbol<"s1", min = 0, max = 0>)"));
  auto proves = [&](auto... parts) {
    return prover.proves(condition(parts...));
  };
  EXPECT_TRUE(proves("s0", SizeRelation::AtLeast, "1", "s0 * 3"));
  EXPECT_TRUE(proves("s0", SizeRelation::AtLeast, "100", "s1 * s0"));
  EXPECT_FALSE(proves("s0", SizeRelation::AtLeast, "100", "s0"));
  EXPECT_FALSE(proves("s1", SizeRelation::AtLeast, "1"));
}

// The guards in a branch hold in it and nowhere else.
TEST_F(SizeProverTest, KeepsBranchesApart) {
  const SizeFacts &outside = factsOf(R"(#tc.symbol<"s0", min = 0, max = 64>)",
                                     R"(%c = tc.full true -> tensor<i1>
         tc.if %c : tensor<i1> {
           tc.size_guard "tc.reduce" needs "size 0" <s0> at_least <1>
           tc.yield
         } else {
           tc.yield
         })");
  IfOp branches;
  module->walk([&](IfOp op) { branches = op; });
  SizePrecondition positive = condition("s0", SizeRelation::AtLeast, "1");
  EXPECT_FALSE(SizeProver(outside).proves(positive));
  SizeFacts chosen = outside.in(branches.getThenRegion().front());
  EXPECT_TRUE(SizeProver(chosen).proves(positive));
  SizeFacts other = outside.in(branches.getElseRegion().front());
  EXPECT_FALSE(SizeProver(other).proves(positive));
}

// A number of either sign that data gives, and the guard of it after the first
// kernel that is about the other symbol.
static const char *const kLateGuard =
    R"(%n = tc.full 3 : i64 -> tensor<i64>
       tc.size_from "u0" = %n : tensor<i64>
       %e = tc.empty : tensor<?xf32, #tc.sizes<[u0 + 9]>>
       %r = tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, u0 + 9>] outs(%o = %e : tensor<?xf32, #tc.sizes<[u0 + 9]>>) {
         %v = tc.scalar 1.0 : f32
         tc.write %v, %o[affine_map<(i) -> (i)>] : f32, tensor<?xf32, #tc.sizes<[u0 + 9]>>
       }
       tc.size_from "u1" = %n : tensor<i64>
       tc.guard scalar() {expr = #tc.expr<u0 + u1 + 5>, min = 0}
       %last = tc.full 3 : i64 -> tensor<i64>)";
static const char *const kNumbers =
    R"(#tc.symbol<"s0", min = 1, max = 64>,
       #tc.symbol<"u0", min = -9223372036854775808, max = 9223372036854775807>,
       #tc.symbol<"u1", min = -9223372036854775808, max = 9223372036854775807>)";

// A guard's fact on a symbol that an earlier kernel names holds after the
// guard.
TEST_F(SizeProverTest, TakesLateGuardsWhereTheyHaveRun) {
  const SizeFacts &whole = factsOf(kNumbers, kLateGuard);
  SizePrecondition claim =
      condition("u0 * 2 + u1 * 2", SizeRelation::AtLeast, "-10");
  Block &body = (*module->getOps<func::FuncOp>().begin()).front();
  EXPECT_FALSE(SizeProver(whole).proves(claim));
  SizeFacts now = whole;
  bool isBehind = false;
  for (Operation &op : body) {
    EXPECT_EQ(SizeProver(whole.before(&op)).proves(claim), isBehind);
    now.pass(op);
    isBehind |= isa<GuardOp>(op);
    EXPECT_EQ(SizeProver(now).proves(claim), isBehind);
  }
  EXPECT_TRUE(isBehind);
}

// Sizes times a sum that a guard bounds, whose terms have no bounds.
TEST_F(SizeProverTest, MultipliesGuards) {
  SizeProver prover(factsOf(kNumbers,
                            R"(%n = tc.full 3 : i64 -> tensor<i64>
         tc.size_from "u0" = %n : tensor<i64>
         tc.size_from "u1" = %n : tensor<i64>
         tc.guard scalar() {expr = #tc.expr<u0 + u1 + 5>, min = 0, max = 7})"));
  auto proves = [&](auto... parts) {
    return prover.proves(condition(parts...));
  };
  EXPECT_TRUE(proves("s0 * u0 + s0 * u1", SizeRelation::AtLeast, "s0 * -5"));
  EXPECT_TRUE(proves("s0 * u0 + s0 * u1", SizeRelation::AtMost, "s0 * 2"));
  EXPECT_FALSE(proves("s0 * u0 + s0 * u1", SizeRelation::AtLeast, "s0 * -4"));
  EXPECT_FALSE(proves("s0 * u0", SizeRelation::AtLeast, "s0 * -5"));
}

// No proof is wrong at any values of the symbols.
TEST_F(SizeProverTest, ProvesWhatHolds) {
  SizeFacts facts = factsOf(kSymbols);
  std::mt19937 random(7);
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  std::function<SizeExpr(unsigned)> make = [&](unsigned depth) -> SizeExpr {
    if (depth == 0)
      return draw(0, 3) == 0
                 ? SizeExpr::constant(&context, draw(-3, 9))
                 : SizeExpr::named(&context, "s" + std::to_string(draw(0, 2)));
    SizeExpr a = make(depth - 1), b = make(depth - 1);
    switch (draw(0, 6)) {
    case 0:
      return a.mul(b);
    case 1:
      return a.floorDiv(draw(1, 4));
    case 2:
      return a.mod(SizeExpr::constant(&context, draw(1, 4)));
    case 3:
      return a.min(b);
    case 4:
      return a.max(b);
    case 5:
      return a.sub(b);
    default:
      return a.add(b);
    }
  };
  unsigned numProved = 0;
  for (unsigned round = 0; round < 600; ++round) {
    SizePrecondition claim{
        "value",
        make(2),
        static_cast<SizeRelation>(draw(0, 3)),
        "bound",
        draw(0, 1) == 0 ? make(1) : SizeExpr::constant(&context, draw(1, 9)),
        draw(0, 2) == 0 ? make(1) : SizeExpr()};
    if (!SizeProver(facts).proves(claim))
      continue;
    ++numProved;
    for (int64_t s0 = 0; s0 <= 64; s0 += 16)
      for (int64_t s1 = 0; s1 <= 5; ++s1) {
        auto valueOf = [&](SizeExpr expr) {
          return *expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
            return name == "s0" ? s0 : name == "s1" ? s1 : 1;
          });
        };
        EXPECT_TRUE(claim.holds(valueOf(claim.value), valueOf(claim.bound),
                                claim.where ? valueOf(claim.where) : 1))
            << claim.describe() << " where "
            << (claim.where ? claim.where.str() : "always") << " at s0 = " << s0
            << ", s1 = " << s1;
      }
  }
  EXPECT_GT(numProved, 100u);
}
