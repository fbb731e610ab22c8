//===- Signature.h - Symbols, guards and mutations --------------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_SIGNATURE_H
#define TC_LIB_FUZZ_SIGNATURE_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// Gives a function two symbols that sizes may have, s0 and s1: in [1, 64], or
/// in ranges of any kind if `isExtreme`.
void drawSymbols(SampledFunction &sampled, Random &random, bool isExtreme);

/// Declares the symbols that are used; one that is no argument's whole size
/// gets an argument of its own to take its value from.
void declareSymbols(SampledFunction &sampled);

/// Adds guards that hold of the arguments that calls have.
void addGuards(SampledFunction &sampled, Random &random);

/// Gives some arguments `tc.strides`: of the dimensions in any order, with
/// gaps.
void addStrides(SampledFunction &sampled, Random &random);

/// Makes some of the last results new values of arguments of their type.
void markMutations(SampledFunction &sampled, Random &random,
                   mlir::ValueRange results);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_SIGNATURE_H
