//===- RowChains.h - Chains of norms and softmaxes --------------*- C++ -*-===//

#ifndef TC_FUZZ_ROWCHAINS_H
#define TC_FUZZ_ROWCHAINS_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// Adds `steps` norms, softmaxes, statistics over some dimensions and
/// elementwise ops, each on the result of the one before. Fails where the
/// sampler's element type is no float.
bool addRowChain(Sampler &sampler, int64_t steps);

} // namespace tc::fuzz

#endif // TC_FUZZ_ROWCHAINS_H
