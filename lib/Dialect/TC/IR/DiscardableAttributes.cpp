//===- DiscardableAttributes.cpp - Verification of discardable attributes -===//

#include "TC/Dialect/TC/IR/DiscardableAttributes.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "TC/Dialect/TC/IR/RandomSeed.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

namespace {
/// An attribute, the ops that may have it, and the verifier of its value.
struct KnownAttribute {
  StringLiteral name;
  bool (*belongsOn)(Operation *);
  StringLiteral place; ///< those ops in messages: "a module"
  /// Fails after an error for a value of another kind.
  LogicalResult (*verify)(Operation *, NamedAttribute);
};
} // namespace

static LogicalResult refuse(Operation *op, NamedAttribute attribute,
                            StringRef expected) {
  return op->emitError() << "attribute '" << attribute.getName().getValue()
                         << "' is " << attribute.getValue() << "; expected "
                         << expected;
}

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// The words for an attribute of this type in messages.
static StringLiteral describe(StringAttr) { return "a string"; }
static StringLiteral describe(FlatSymbolRefAttr) { return "a symbol"; }
static StringLiteral describe(SizeExprAttr) { return "a #tc.expr"; }

template <typename Kind>
static LogicalResult verifyKind(Operation *op, NamedAttribute attribute) {
  return isa<Kind>(attribute.getValue())
             ? success()
             : refuse(op, attribute, describe(Kind()));
}

static LogicalResult verifyRounded(Operation *op, NamedAttribute attribute) {
  auto type = dyn_cast<TypeAttr>(attribute.getValue());
  return type && (type.getValue().isF16() || type.getValue().isBF16())
             ? success()
             : refuse(op, attribute, "f16 or bf16");
}

static LogicalResult verifyTarget(Operation *op, NamedAttribute attribute) {
  auto target = dyn_cast<TargetAttr>(attribute.getValue());
  return target && (target.getKind() == "cpu" || target.getKind() == "cuda")
             ? success()
             : refuse(op, attribute, "a #tc.target of kind cpu or cuda");
}

static LogicalResult verifyCount(Operation *op, NamedAttribute attribute) {
  auto count = dyn_cast<IntegerAttr>(attribute.getValue());
  return count && count.getType().isSignlessInteger(64) && count.getInt() >= 1
             ? success()
             : refuse(op, attribute, "an i64 of at least 1");
}

static LogicalResult verifyLibraries(Operation *op, NamedAttribute attribute) {
  auto names = dyn_cast<ArrayAttr>(attribute.getValue());
  auto isName = [](Attribute entry) {
    auto name = dyn_cast<StringAttr>(entry);
    return name && (symbolizeLibraryKind(name.getValue()) ||
                    symbolizeConvolutionLibraryKind(name.getValue()));
  };
  return names && llvm::all_of(names, isName)
             ? success()
             : refuse(op, attribute,
                      "an array of the strings \"cublaslt\" and \"cudnn\"");
}

static LogicalResult verifyScheduleLibrary(Operation *op,
                                           NamedAttribute attribute) {
  auto entries = dyn_cast<DictionaryAttr>(attribute.getValue());
  return entries && llvm::all_of(entries,
                                 [](NamedAttribute entry) {
                                   return isa<ScheduleAttrInterface>(
                                       entry.getValue());
                                 })
             ? success()
             : refuse(op, attribute,
                      "a dictionary from keys of kernels to schedules");
}

static LogicalResult verifyMemoryPlan(Operation *op, NamedAttribute attribute) {
  auto isNumber = [](NamedAttribute entry) {
    return isa<IntegerAttr>(entry.getValue());
  };
  auto entries = dyn_cast<DictionaryAttr>(attribute.getValue());
  bool isValid =
      entries && llvm::all_of(entries, [&](NamedAttribute entry) {
        StringRef name = entry.getName();
        if (name == "buffers" || name == "planned" || name == "peak")
          return isNumber(entry);
        auto symbols = dyn_cast<DictionaryAttr>(entry.getValue());
        return name == "at" && symbols && llvm::all_of(symbols, isNumber);
      });
  return isValid ? success()
                 : refuse(op, attribute,
                          "a dictionary of the numbers 'buffers', 'planned' "
                          "and 'peak', and of symbols in 'at'");
}

/// An array of #tc.symbol with distinct names.
static LogicalResult verifySymbols(Operation *op, NamedAttribute attribute) {
  auto symbols = dyn_cast<ArrayAttr>(attribute.getValue());
  StringRef name = attribute.getName();
  if (!symbols)
    return refuse(op, attribute, "an array of #tc.symbol");
  llvm::StringSet<> names;
  for (Attribute entry : symbols) {
    auto symbol = dyn_cast<tc::SymbolAttr>(entry);
    if (!symbol)
      return op->emitError() << "entry of '" << name << "' is " << entry
                             << "; expected a #tc.symbol";
    if (!names.insert(symbol.getName()).second)
      return op->emitError()
             << "'" << name << "' declares '" << symbol.getName() << "' twice";
  }
  return success();
}

static LogicalResult verifyDeclaredSymbols(Operation *op,
                                           NamedAttribute attribute) {
  return failed(verifySymbols(op, attribute)) ? failure()
                                              : verifyDataDependentSymbols(op);
}

static LogicalResult verifySpecializations(Operation *op,
                                           NamedAttribute attribute) {
  auto isRequest = [](Attribute entry) {
    auto symbols = dyn_cast<ArrayAttr>(entry);
    return symbols && !symbols.empty() &&
           llvm::all_of(symbols, llvm::IsaPred<tc::SymbolAttr>);
  };
  auto requests = dyn_cast<ArrayAttr>(attribute.getValue());
  return requests && llvm::all_of(requests, isRequest)
             ? success()
             : refuse(op, attribute, "an array of arrays of #tc.symbol");
}

static LogicalResult verifyResultTypes(Operation *op,
                                       NamedAttribute attribute) {
  auto isTensor = [](Attribute entry) {
    auto type = dyn_cast<TypeAttr>(entry);
    auto tensor =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    return tensor && hasKnownSizes(tensor);
  };
  auto types = dyn_cast<ArrayAttr>(attribute.getValue());
  return types && llvm::all_of(types, isTensor)
             ? success()
             : refuse(op, attribute,
                      "an array of ranked tensor types of known sizes");
}

/// Whether an entry of `tc.signature` has a known name, and a value of the kind
/// that goes with it.
static bool isSignatureEntry(StringRef name, Attribute value) {
  auto isListOf = [&](auto isOne) {
    auto list = dyn_cast<ArrayAttr>(value);
    return list && llvm::all_of(list, isOne);
  };
  auto isTypeOrNone = [](Attribute entry) {
    auto type = dyn_cast<TypeAttr>(entry);
    return isa<UnitAttr>(entry) || (type && isa<ShapedType>(type.getValue()));
  };
  if (name == "input_types" || name == "output_types")
    return isListOf(isTypeOrNone);
  if (name == "input_strides")
    return isListOf(llvm::IsaPred<UnitAttr, ArrayAttr>);
  if (name == "symbols")
    return isListOf(llvm::IsaPred<tc::SymbolAttr>);
  if (name == "parameters")
    return isListOf(llvm::IsaPred<FlatSymbolRefAttr>);
  if (name == "inputs" || name == "input_paths" || name == "outputs" ||
      name == "user_outputs" || name == "mutates")
    return isa<ArrayAttr>(value);
  if (name == "launches")
    return isa<IntegerAttr>(value);
  return name == "arena" && isa<SizeExprAttr>(value);
}

static LogicalResult verifySignature(Operation *op, NamedAttribute attribute) {
  auto signature = dyn_cast<DictionaryAttr>(attribute.getValue());
  if (!signature)
    return refuse(op, attribute, "a dictionary");
  for (NamedAttribute entry : signature)
    if (!isSignatureEntry(entry.getName(), entry.getValue()))
      return op->emitError() << "entry " << entry.getName()
                             << " of 'tc.signature' is " << entry.getValue()
                             << "; expected an entry that phase import, "
                                "bufferize or emit writes";
  return success();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static bool isModule(Operation *op) { return isa<ModuleOp>(op); }
static bool isFunction(Operation *op) { return isa<FunctionOpInterface>(op); }

static constexpr StringLiteral kModule = "a module", kFunction = "a function";

static const KnownAttribute kKnown[] = {
    {kPhaseAttr, isModule, kModule, verifyKind<StringAttr>},
    {kTargetAttr, isModule, kModule, verifyTarget},
    {kCoresAttr, isModule, kModule, verifyCount},
    {kCoreCacheBytesAttr, isModule, kModule, verifyCount},
    {kSharedCacheBytesAttr, isModule, kModule, verifyCount},
    {kLibrariesAttr, isModule, kModule, verifyLibraries},
    {kSchedulesAttr, isModule, kModule, verifyScheduleLibrary},
    {kRoundedAttr,
     [](Operation *op) {
       return isa_and_nonnull<KernelOp>(op->getParentOp()) &&
              op->getNumResults() == 1 &&
              isa<FloatType>(op->getResult(0).getType());
     },
     "an op of a kernel's body with a float result", verifyRounded},
    {kSymbolsAttr, isFunction, kFunction, verifyDeclaredSymbols},
    {kSignatureAttr, isFunction, kFunction, verifySignature},
    {kResultTypesAttr, isFunction, kFunction, verifyResultTypes},
    {kMemoryPlanAttr, isFunction, kFunction, verifyMemoryPlan},
    {kSpecializationsAttr, isFunction, kFunction, verifySpecializations},
    {kSpecializationAttr, isFunction, kFunction, verifySymbols},
    {kVersionOfAttr, isFunction, kFunction, verifyKind<FlatSymbolRefAttr>},
    {kImageAttr, [](Operation *op) { return isa<LLVM::GlobalOp>(op); },
     "an llvm.mlir.global", verifyKind<StringAttr>},
    {kScratchElementsAttr,
     [](Operation *op) { return isa<LLVM::AllocaOp>(op); }, "an llvm.alloca",
     verifyKind<SizeExprAttr>},
};

LogicalResult TCDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  const KnownAttribute *known =
      llvm::find_if(kKnown, [&](const KnownAttribute &one) {
        return attribute.getName() == one.name;
      });
  if (known == std::end(kKnown)) {
    InFlightDiagnostic error = op->emitError()
                               << "attribute " << attribute.getName()
                               << " is unknown; expected one of ";
    llvm::interleaveComma(
        kKnown, error, [&](const KnownAttribute &one) { error << one.name; });
    return error;
  }
  if (!known->belongsOn(op))
    return op->emitError() << "attribute '" << known->name << "' is on '"
                           << op->getName() << "'; expected it on "
                           << known->place;
  return known->verify(op, attribute);
}

LogicalResult TCDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned index,
                                                  NamedAttribute attribute) {
  if (attribute.getName() == kStridesAttr)
    return verifyInputStrides(cast<FunctionOpInterface>(op), index,
                              attribute.getValue());
  if (attribute.getName() == kRandomSeedAttr)
    return verifyRandomSeed(cast<FunctionOpInterface>(op), index,
                            attribute.getValue());
  return op->emitError() << "argument " << index << " has the attribute "
                         << attribute.getName()
                         << "; expected tc.strides or tc.random_seed";
}

LogicalResult TCDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                     unsigned index,
                                                     NamedAttribute attribute) {
  bool mutates = attribute.getName() == kMutatesAttr;
  if (!mutates && attribute.getName() != kMayOverwriteAttr)
    return op->emitError() << "result " << index << " has the attribute "
                           << attribute.getName()
                           << "; expected tc.mutates or tc.may_overwrite";
  Attribute target = attribute.getValue();
  if (mutates && isa<FlatSymbolRefAttr>(target))
    return success();
  int64_t arguments = cast<FunctionOpInterface>(op).getNumArguments();
  if (auto number = dyn_cast<IntegerAttr>(target))
    if (number.getInt() >= 0 && number.getInt() < arguments)
      return success();
  return op->emitError() << "result " << index << " has "
                         << attribute.getName().getValue() << " = " << target
                         << "; expected "
                         << (mutates ? "the symbol of a parameter or " : "")
                         << "the index of one of " << arguments << " arguments";
}
