//===- HostBuilder.h - Writing host functions -------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_HOSTBUILDER_H
#define TC_LIB_CONVERSION_TCTOLLVM_HOSTBUILDER_H

#include "ABILayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace tc {

/// Constant strings of a module, each once, as internal globals.
class StringTable {
public:
  explicit StringTable(mlir::ModuleOp module) : module(module) {}
  /// The address of `text`, with a zero after it.
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::StringRef text);

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::GlobalOp> globals;
};

/// Builds the body of one `int32_t f(tc_call *)`. A check that fails branches
/// to a block shared by all checks, which reports it and returns.
class HostBuilder {
public:
  HostBuilder(mlir::LLVM::LLVMFuncOp function, StringTable &strings);

  /// Where the function's data is and its kernels run: the kind of the module's
  /// `tc.target`.
  tc_device_kind device() const { return deviceKind; }

  mlir::OpBuilder &get() { return builder; }
  mlir::MLIRContext *context() { return builder.getContext(); }
  /// Location of the ops made from now on.
  void setLoc(mlir::Location newLoc) { loc = newLoc; }
  mlir::Location getLoc() const { return loc; }

  mlir::Value call() const { return callPointer; }
  mlir::Value i64(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value text(llvm::StringRef value);
  mlir::Value addressOf(llvm::StringRef global);
  mlir::Value null();
  /// `location` as "file:line:column", or null when it is unknown.
  mlir::Value locationText(mlir::Location location);

  /// The address of element `index` of an array.
  mlir::Value element(mlir::Type elementType, mlir::Value base,
                      mlir::LLVM::GEPArg index);
  /// The address of a field of a struct.
  mlir::Value field(mlir::LLVM::LLVMStructType type, mlir::Value base,
                    unsigned index);
  mlir::Value load(mlir::Type type, mlir::Value address);
  void store(mlir::Value value, mlir::Value address);
  mlir::Value loadCall(abi::CallField which);
  /// A field of the call that does not change; loaded once, at the start of the
  /// body, if that has begun.
  mlir::Value loadConstantCall(abi::CallField which);
  mlir::Value loadTensor(mlir::Value tensor, abi::TensorField which);
  /// The address of input or output `index`.
  mlir::Value tensorAt(abi::CallField array, int64_t index);
  /// Has output `output` be input `input` itself.
  void giveInput(int64_t input, int64_t output);
  /// Where the elements of a constant are on the device of the function.
  mlir::Value addressOfConstant(mlir::memref::GetGlobalOp op);
  /// Room for `count` values of 8 bytes on the stack, made in the entry block,
  /// at a multiple of `alignment` bytes.
  mlir::Value stackSlots(int64_t count, int64_t alignment = 8);

  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs);
  mlir::Value equal(mlir::Value lhs, mlir::Value rhs) {
    return compare(mlir::LLVM::ICmpPredicate::eq, lhs, rhs);
  }
  mlir::Value conjunction(llvm::ArrayRef<mlir::Value> conditions);
  mlir::Value disjunction(mlir::Value lhs, mlir::Value rhs);

  /// Marks the point where the caller and its inputs are checked: values that
  /// later code shares are loaded here.
  void beginBody() { bodyBlock = builder.getInsertionBlock(); }

  /// The address of a function of the runtime's table.
  mlir::Value runtimeFunction(abi::APIField which);
  /// Calls a function of the runtime's table, with the call as its first
  /// argument. No value when `result` is null.
  mlir::Value callRuntime(abi::APIField which, mlir::Type result,
                          llvm::ArrayRef<mlir::Value> arguments);

  /// The report of a failed check; see tc_runtime_api::report_mismatch.
  struct Report {
    tc_status status;
    std::string format;
    mlir::Value first = {};  ///< null for 0
    mlir::Value second = {}; ///< null for 0
    std::optional<mlir::Location> location = std::nullopt;
  };
  /// Goes on where `condition` holds, else reports and returns.
  void check(mlir::Value condition, const Report &report);
  /// Goes on where `status` is TC_STATUS_OK, else returns it; its origin has
  /// reported the failure.
  void checkStatus(mlir::Value status);
  /// Goes on where the runtime gave memory, else returns; the runtime has
  /// reported the failure.
  void checkPointer(mlir::Value pointer);
  /// Runs `then` where the condition holds and `otherwise` where not.
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise);
  /// Computes `condition` and, where it holds, runs `body`, again and again.
  /// Stops, with blocks that do not end, when `condition` gives no value.
  void loop(llvm::function_ref<mlir::Value()> condition,
            llvm::function_ref<void()> body);
  /// Runs the host function `callee` with this call and returns its status,
  /// where the condition holds; everywhere when it is null.
  void returnCall(mlir::Value condition, llvm::StringRef callee);
  /// Ends the function, unless an unconditional returnCall() has.
  void finish();

private:
  mlir::Value loadInBody(mlir::Value &loaded,
                         llvm::function_ref<mlir::Value()> loadHere);
  mlir::Block *appendBlock(llvm::ArrayRef<mlir::Type> arguments = {});
  void continueIn(mlir::Block *block) { builder.setInsertionPointToEnd(block); }

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::LLVM::LLVMFuncOp function;
  StringTable &strings;
  tc_device_kind deviceKind = TC_DEVICE_CPU;
  mlir::Value callPointer;
  /// The values that the body has loaded, by field of the call and of the
  /// table.
  llvm::DenseMap<unsigned, mlir::Value> callFields, runtimeFunctions;
  mlir::Block *bodyBlock = nullptr, *failBlock = nullptr,
              *returnBlock = nullptr;
};

/// `location` as "file:line:column", empty when it is unknown.
std::string getLocationText(mlir::Location location);

/// Names of the globals that a kernel of a GPU becomes: its PTX, what the
/// runtime keeps of it, its tc_kernel and its tc_tensor_maps. A constant has
/// handles, too.
std::string getImageName(llvm::StringRef kernel);
std::string getHandlesName(llvm::StringRef symbol);
std::string getDescriptorName(llvm::StringRef kernel);
std::string getTensorMapsName(llvm::StringRef kernel);
/// Name of the tc_kernel_failures of a function.
std::string getFailuresName(llvm::StringRef function);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_HOSTBUILDER_H
