//===- LibraryCalls.cpp - Calls of libraries in host functions ------------===//

#include "LibraryCalls.h"
#include "KernelDescriptors.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

static uint32_t getFlags(LibraryScheduleAttr schedule) {
  ProductActivation activation = schedule.getActivation();
  return (schedule.getTransposeA() ? TC_PRODUCT_TRANSPOSE_A : 0) |
         (schedule.getTransposeB() ? TC_PRODUCT_TRANSPOSE_B : 0) |
         (activation == ProductActivation::Relu ? TC_PRODUCT_RELU : 0) |
         (activation == ProductActivation::GeluTanh ? TC_PRODUCT_GELU_TANH : 0);
}

static tc_dtype getElementDType(Value buffer) {
  return *getDType(cast<MemRefType>(buffer.getType()).getElementType());
}

/// Makes the tc_matrix_product of a call; its name.
std::string LibraryCalls::makeDescriptor(LibraryCallOp op) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string name;
  unsigned number = 0;
  do
    name = "tc_product_" + std::to_string(number++);
  while (module.lookupSymbol(name));
  LibraryScheduleAttr schedule = op.getSchedule();
  auto fill = [&](OpBuilder &b) {
    auto i64 = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, op.getLoc(), b.getI64Type(), value);
    };
    auto i32 = [&](uint32_t value) -> Value {
      return LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(),
                                      int32_t(value));
    };
    FloatAttr scale =
        schedule.getScale() ? schedule.getScale() : b.getF32FloatAttr(1);
    return SmallVector<Value>{
        i64(sizeof(tc_matrix_product)),
        strings.addressOf(b, op.getLoc(), op.getKernel()),
        i64(schedule.getWorkspace()),
        i32(TC_LIBRARY_CUBLASLT),
        i32(getElementDType(op.getA())),
        i32(getElementDType(op.getD())),
        i32(getFlags(schedule)),
        LLVM::ConstantOp::create(b, op.getLoc(), b.getF32Type(), scale),
        i32(0)};
  };
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  makeConstant(builder, op.getLoc(), getProductStruct(op.getContext()), name,
               fill);
  return name;
}

Value LibraryCalls::addressOf(Value pointer, Value buffer, SizeExpr offset) {
  if (offset.isConstant(0))
    return pointer;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return host.element(host.get().getI8Type(), pointer,
                      sizes.of(offset.mul(getElementBytes(element))));
}

LogicalResult LibraryCalls::emit(LibraryCallOp op,
                                 const llvm::DenseMap<Value, Value> &pointers) {
  for (Value buffer : op->getOperands())
    if (!pointers.lookup(buffer))
      return op.emitOpError() << "has a buffer that is no argument, output, "
                                 "parameter or part of the arena";
  for (SizeExpr size : op.getSizeExpressions())
    if (!sizes.canEvaluate(size))
      return op.emitOpError() << "has size " << size
                              << ", which the function's symbols do not give";
  auto place = [&](Value buffer, MatrixAttr matrix) {
    return addressOf(pointers.lookup(buffer), buffer, matrix.getOffset());
  };
  auto orNull = [&](Value buffer) {
    return buffer ? pointers.lookup(buffer) : host.null();
  };
  MatrixAttr a = op.getAMatrix(), b = op.getBMatrix(), d = op.getDMatrix();
  SmallVector<Value> values{place(op.getA(), a), place(op.getB(), b),
                            orNull(op.getBias()), place(op.getD(), d),
                            orNull(op.getWorkspace())};
  for (SizeExpr size :
       {op.getBatches(), op.getRows(), op.getColumns(), op.getReduced(),
        a.getPitch(), a.getBatchStride(), b.getPitch(), b.getBatchStride(),
        d.getPitch(), d.getBatchStride()})
    values.push_back(sizes.of(size));
  if (!slots)
    slots = host.stackSlots(int64_t(values.size()));
  for (auto [index, value] : llvm::enumerate(values))
    host.store(value,
               host.element(host.get().getI64Type(), slots, int32_t(index)));
  host.checkStatus(
      host.callRuntime(APIField::MultiplyMatrices, host.get().getI32Type(),
                       {host.addressOf(makeDescriptor(op)), slots}));
  return success();
}
