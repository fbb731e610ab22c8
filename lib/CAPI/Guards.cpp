//===- Guards.cpp - The C API of guards -----------------------------------===//

#include "tc-c/Guards.h"
#include "GuardTable.h"
#include "Handles.h"
#include "ProgramHandle.h"
#include "SessionHandle.h"
#include "TC/Compiler/DiagnosticText.h"
#include "TC/Frontend/Text/ModuleText.h"
#include <cstring>

using namespace tc;
using namespace tc::capi;

struct tc_guards {
  // The table's expressions are the context's.
  std::unique_ptr<mlir::MLIRContext> context;
  GuardTable table;
  std::vector<tc_value_guard> values;
};

static llvm::Expected<GuardTable> readTable(mlir::MLIRContext &context,
                                            llvm::StringRef text) {
  DiagnosticText diagnostics(&context, /*enabled=*/true);
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      parseModule(llvm::MemoryBuffer::getMemBufferCopy(text, "<guards>"),
                  sources, mlir::ParserConfig(&context));
  if (!module)
    return llvm::createStringError("the guards cannot be read:\n" +
                                   diagnostics.get());
  auto functions = module->getOps<mlir::func::FuncOp>();
  if (std::distance(functions.begin(), functions.end()) != 1)
    return llvm::createStringError(
        "the module of guards has %td functions, expected one",
        std::distance(functions.begin(), functions.end()));
  return GuardTable::read(*functions.begin());
}

tc_error *tc_guards_create(tc_session *session, const char *text, size_t bytes,
                           tc_guards **result) {
  if (tc_error *error = checkGiven(session, "session"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  std::unique_ptr<mlir::MLIRContext> context = session->session.makeContext();
  auto table = readTable(*context, llvm::StringRef(text, bytes));
  if (!table)
    return toError(table.takeError(), TC_STATUS_INVALID_ARGUMENT);
  auto *guards = new tc_guards{std::move(context), std::move(*table), {}};
  for (const ValueGuard &value : guards->table.values())
    guards->values.push_back(
        {value.origin.c_str(), value.value.c_str(), value.isIdentity});
  *result = guards;
  return nullptr;
}

void tc_guards_free(tc_guards *guards) { delete guards; }

int64_t tc_guards_value_count(const tc_guards *guards) {
  return guards ? int64_t(guards->values.size()) : 0;
}

const tc_value_guard *tc_guards_value(const tc_guards *guards, int64_t number) {
  return number >= 0 && number < tc_guards_value_count(guards)
             ? &guards->values[size_t(number)]
             : nullptr;
}

int64_t tc_guards_tensor_count(const tc_guards *guards) {
  return guards ? int64_t(guards->table.tensorCount()) : 0;
}

int64_t tc_guards_check(const tc_guards *guards, const tc_tensor *tensors) {
  return guards->table.check(tensors);
}

tc_error *tc_guards_describe_miss(const tc_guards *guards,
                                  const tc_tensor *tensors, int64_t miss,
                                  char **text) {
  if (tc_error *error = checkGiven(guards, "guards"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  if (miss < 0 || tc_guards_check(guards, tensors) != miss)
    return invalidArgument("guard " + std::to_string(miss) +
                           " is not the first that misses");
  *text = strdup(guards->table.describeMiss(tensors, size_t(miss)).c_str());
  return nullptr;
}
