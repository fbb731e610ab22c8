//===- SampledOps.h - One test for each op that can be sampled --*- C++ -*-===//
//
// The fixture of tests whose parameter is the name of an op.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_FUZZ_SAMPLEDOPS_H
#define TC_UNITTESTS_FUZZ_SAMPLEDOPS_H

#include "TC/Fuzz/Check.h"
#include "TC/Fuzz/Recipes.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

namespace tc::fuzz {

/// A context with all dialects, which lives as long as the process: gtest asks
/// for the names of the ops before there is any test.
inline mlir::MLIRContext &getContext() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    auto *made = new mlir::MLIRContext(registry);
    made->loadAllAvailableDialects();
    return made;
  }();
  return *context;
}

/// The parameter is the name of an op: "tc.add".
class SampledOpTest : public ::testing::TestWithParam<std::string> {
protected:
  static mlir::RegisteredOperationName getName() {
    return *mlir::RegisteredOperationName::lookup(GetParam(), &getContext());
  }
};

/// All parameters of a SampledOpTest.
inline auto getSampledOpNames() {
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName name : getSampledOps(&getContext()))
    names.push_back(name.getStringRef().str());
  return ::testing::ValuesIn(names);
}

/// A parameter without "tc.", as gtest takes it in the name of a test.
inline std::string
getTestName(const ::testing::TestParamInfo<std::string> &info) {
  return info.param.substr(3);
}

} // namespace tc::fuzz

#endif // TC_UNITTESTS_FUZZ_SAMPLEDOPS_H
