//===- ScheduleTest.cpp - Any legal schedule gives the same results -------===//
//
// A person may edit a schedule. Kernels of each class get schedules whose
// fields are drawn at random; those that the verifiers accept are compiled and
// compared with the interpreter, and the others are refused by name.
//
//===----------------------------------------------------------------------===//

#include "TC/Fuzz/SchedulePrograms.h"
#include "TC/Pipelines/Registration.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace tc::fuzz {
void PrintTo(const ScheduleProgram &program, std::ostream *os) {
  *os << program.name.str();
}
} // namespace tc::fuzz

namespace {

class ScheduleTest : public ::testing::TestWithParam<ScheduleProgram> {
protected:
  void SetUp() override {
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  void check(uint64_t seed) {
    Random random(seed);
    GeneratedModule made = makeScheduleModule(&context, GetParam(), random);
    for (const Finding &finding :
         checkModule(*made.module, made.function, seed, made.check))
      ADD_FAILURE() << "seed " << seed << ": " << finding.message;
  }

  DialectRegistry registry;
  MLIRContext context;
};

TEST_P(ScheduleTest, IsRightOrRefused) {
  // TC_TEST_FULL=1 asks for many schedules.
  const char *full = std::getenv("TC_TEST_FULL");
  int count = full && full[0] == '1' ? 100 : 8;
  for (int seed = 0; seed < count; ++seed)
    check(seed);
}

INSTANTIATE_TEST_SUITE_P(All, ScheduleTest,
                         ::testing::ValuesIn(getSchedulePrograms().begin(),
                                             getSchedulePrograms().end()),
                         [](const auto &info) {
                           return info.param.name.str();
                         });

} // namespace
