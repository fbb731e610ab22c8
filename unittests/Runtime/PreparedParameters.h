//===- PreparedParameters.h - How tests use parameters ----------*- C++ -*-===//

#ifndef TC_UNITTESTS_RUNTIME_PREPAREDPARAMETERS_H
#define TC_UNITTESTS_RUNTIME_PREPAREDPARAMETERS_H

#include "TC/Runtime/Parameters.h"

/// Two parameters; the first is read by @tc.prepare alone, whose only output is
/// a prepared value.
inline tc::runtime::ParameterUse useOfTwo(tc_function prepare) {
  tc::runtime::ParameterUse use;
  use.prepare = prepare;
  use.outputCount = 1;
  use.prepared = {0};
  use.readByPrepare = {true, false};
  use.readByCalls = {false, true};
  return use;
}

#endif // TC_UNITTESTS_RUNTIME_PREPAREDPARAMETERS_H
