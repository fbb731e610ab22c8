//===- DiscardableAttributes.h - TC's attributes on other ops ---*- C++ -*-===//
//
// The attributes that TC puts on modules, functions and ops of other dialects.
// Attributes of tc's own ops are declared with the ops. The dialect verifies
// every attribute whose name begins with `tc.`: that it is one of these, that
// it is on an op of the right kind, and that its value is of the right kind.
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
/// An i64 of at least 1: cores of the machine that the module is compiled for,
/// where that is known. The machine model divides a launch into enough tasks to
/// keep them busy.
inline constexpr llvm::StringLiteral kCoresAttr = "tc.cores";
/// An i64 of at least 1 each: bytes of the cache that each core has for itself,
/// and of the cache that all cores share, on the machine that the module is
/// compiled for.
inline constexpr llvm::StringLiteral kCoreCacheBytesAttr =
    "tc.core_cache_bytes";
inline constexpr llvm::StringLiteral kSharedCacheBytesAttr =
    "tc.shared_cache_bytes";
/// An array of strings, each the name of a library (LibraryKind or
/// ConvolutionLibraryKind) that the target has: kernels may become calls of it.
inline constexpr llvm::StringLiteral kLibrariesAttr = "tc.libraries";
/// A dictionary from the keys of kernels to schedules (ScheduleAttrInterface),
/// which tc-assign-schedules looks up: a schedule library.
inline constexpr llvm::StringLiteral kSchedulesAttr = "tc.schedules";

//===----------------------------------------------------------------------===//
// On an op of a kernel's body
//===----------------------------------------------------------------------===//

/// A type: the program rounds the op's result, a float, to f16 or bf16. In the
/// kernel it may stay in f32, but a shorter approximation will do.
inline constexpr llvm::StringLiteral kRoundedAttr = "tc.rounded";

//===----------------------------------------------------------------------===//
// On a function
//===----------------------------------------------------------------------===//

/// An array of #tc.symbol: the symbols that the function's types may name.
inline constexpr llvm::StringLiteral kSymbolsAttr = "tc.symbols";
/// A dictionary: the inputs and outputs of the user's call, their types, and
/// how they map to arguments and results.
inline constexpr llvm::StringLiteral kSignatureAttr = "tc.signature";
/// After bufferize, an array of tensor types: those of the function's outputs.
inline constexpr llvm::StringLiteral kResultTypesAttr = "tc.result_types";
/// After bufferize, a dictionary: the number of buffers in the arena
/// (`buffers`), the arena's bytes (`planned`) and the most bytes that are live
/// at once
/// (`peak`), at the largest sizes, where symbols have the values of `at`.
inline constexpr llvm::StringLiteral kMemoryPlanAttr = "tc.memory_plan";
/// An array of arrays of #tc.symbol with narrower ranges: the versions that the
/// user asks for, one an array.
inline constexpr llvm::StringLiteral kSpecializationsAttr =
    "tc.specializations";
/// A symbol reference: the function whose dispatch runs this version.
inline constexpr llvm::StringLiteral kVersionOfAttr = "tc.version_of";
/// On such a version, an array of #tc.symbol: the ranges that it is compiled
/// for.
inline constexpr llvm::StringLiteral kSpecializationAttr = "tc.specialization";
/// On a result: the index of the argument that the call overwrites with it, or
/// the symbol of the parameter.
inline constexpr llvm::StringLiteral kMutatesAttr = "tc.mutates";
/// On a result: the index of an argument of its type that the call may write it
/// over, as the caller needs the argument's old elements no more. It is a
/// permission: after the call the output is the argument, or it is not.
inline constexpr llvm::StringLiteral kMayOverwriteAttr = "tc.may_overwrite";

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
