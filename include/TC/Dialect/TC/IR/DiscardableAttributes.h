//===- DiscardableAttributes.h - tc's marks on other ops -------*- C++ -*-===//
//
// The attributes that TC puts on modules, functions and ops of other dialects.
// Attributes of tc's own ops are declared with the ops. The dialect verifies
// every attribute named `tc.`: that it is one of these, stands on the kind of
// op that has it, and has a value of its kind.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_DISCARDABLEATTRIBUTES_H
#define TC_DIALECT_TC_IR_DISCARDABLEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace tc {

//===----------------------------------------------------------------------===//
// On a module
//===----------------------------------------------------------------------===//

/// A string: the name of the last phase that has run.
inline constexpr llvm::StringLiteral kPhaseAttr = "tc.phase";
/// A #tc.target: what code is generated for.
inline constexpr llvm::StringLiteral kTargetAttr = "tc.target";
/// An integer of at least 1: cores of the machine that the module is compiled
/// for, when that is known. Blocks of contractions are as many as keep them
/// busy.
inline constexpr llvm::StringLiteral kCoresAttr = "tc.cores";
/// Integers of at least 1: bytes of the cache that a core has for itself, and
/// of the one that all share, of the machine that the module is compiled for.
inline constexpr llvm::StringLiteral kCoreCacheBytesAttr =
    "tc.core_cache_bytes";
inline constexpr llvm::StringLiteral kSharedCacheBytesAttr =
    "tc.shared_cache_bytes";
/// A dictionary from the keys of kernels to #tc.schedule: a schedule library.
inline constexpr llvm::StringLiteral kSchedulesAttr = "tc.schedules";

//===----------------------------------------------------------------------===//
// On a function
//===----------------------------------------------------------------------===//

/// An array of #tc.symbol: the symbols that its types may name.
inline constexpr llvm::StringLiteral kSymbolsAttr = "tc.symbols";
/// A dictionary: what the user's call looks like.
inline constexpr llvm::StringLiteral kSignatureAttr = "tc.signature";
/// After bufferize, an array of tensor types: those of its outputs.
inline constexpr llvm::StringLiteral kResultTypesAttr = "tc.result_types";
/// After bufferize, a dictionary: what the arena holds.
inline constexpr llvm::StringLiteral kMemoryPlanAttr = "tc.memory_plan";
/// The versions asked for, as arrays of #tc.symbol with narrower ranges.
inline constexpr llvm::StringLiteral kSpecializationsAttr =
    "tc.specializations";
/// A symbol: the function whose dispatch runs it.
inline constexpr llvm::StringLiteral kVersionOfAttr = "tc.version_of";
/// On such a version, an array of #tc.symbol: what it is specialised to.
inline constexpr llvm::StringLiteral kSpecializationAttr = "tc.specialization";
/// On a result: the index of the argument that it replaces, or the symbol of
/// the parameter.
inline constexpr llvm::StringLiteral kMutatesAttr = "tc.mutates";

//===----------------------------------------------------------------------===//
// On ops of the llvm dialect
//===----------------------------------------------------------------------===//

/// On an `llvm.mlir.global` that holds PTX, a string: the name of the kernel.
inline constexpr llvm::StringLiteral kImageAttr = "tc.image";
/// On an `llvm.alloca` of symbolic size, a #tc.expr: the number of elements.
inline constexpr llvm::StringLiteral kScratchElementsAttr =
    "tc.scratch_elements";

} // namespace tc

#endif // TC_DIALECT_TC_IR_DISCARDABLEATTRIBUTES_H
