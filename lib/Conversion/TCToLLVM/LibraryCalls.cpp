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

/// A name for the description of a call that the module has not.
static std::string findName(Operation *op, StringRef prefix) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string name;
  unsigned number = 0;
  do
    name = (prefix + Twine(number++)).str();
  while (module.lookupSymbol(name));
  return name;
}

/// Makes the tc_matrix_product of a call; its name.
std::string LibraryCalls::makeDescriptor(LibraryCallOp op) {
  std::string name = findName(op, "tc_product_");
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
  auto builder =
      OpBuilder::atBlockEnd(op->getParentOfType<ModuleOp>().getBody());
  makeConstant(builder, op.getLoc(), getProductStruct(op.getContext()), name,
               fill);
  return name;
}

/// Makes the tc_convolution of a call; its name.
std::string LibraryCalls::makeDescriptor(LibraryConvolutionOp op) {
  std::string name = findName(op, "tc_convolution_");
  ConvolutionLibraryScheduleAttr schedule = op.getSchedule();
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
    SmallVector<Value> fields{
        i64(sizeof(tc_convolution)),
        strings.addressOf(b, op.getLoc(), op.getKernel()),
        i64(schedule.getWorkspace()),
        i32(TC_LIBRARY_CUDNN),
        i32(getElementDType(op.getImages())),
        i32((schedule.getRelu() ? TC_CONVOLUTION_RELU : 0) |
            (schedule.getChannelsLast() ? TC_CONVOLUTION_CHANNELS_LAST : 0)),
        LLVM::ConstantOp::create(b, op.getLoc(), b.getF32Type(), scale),
        i32(op.getSpatialRank()),
        i32(0),
        i64(int64_t(op.getGroups()))};
    for (ArrayRef<int64_t> numbers :
         {op.getStride(), op.getPadding(), op.getDilation()})
      for (unsigned dim = 0; dim < TC_MAX_SPATIAL; ++dim)
        fields.push_back(i64(dim < numbers.size() ? numbers[dim] : 0));
    return fields;
  };
  auto builder =
      OpBuilder::atBlockEnd(op->getParentOfType<ModuleOp>().getBody());
  makeConstant(builder, op.getLoc(), getConvolutionStruct(op.getContext()),
               name, fill);
  return name;
}

Value LibraryCalls::addressOf(Value pointer, Value buffer, SizeExpr offset) {
  if (offset.isConstant(0))
    return pointer;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return host.element(host.get().getI8Type(), pointer,
                      sizes.of(offset.mul(getElementBytes(element))));
}

/// Whether there is an address for every operand and a number for every size.
LogicalResult
LibraryCalls::checkOperands(Operation *op, ArrayRef<SizeExprAttr> expressions,
                            const llvm::DenseMap<Value, Value> &pointers) {
  for (Value buffer : op->getOperands())
    if (!pointers.lookup(buffer))
      return op->emitOpError() << "has a buffer that is no argument, output, "
                                  "parameter or part of the arena";
  for (SizeExpr size : expressions)
    if (!sizes.canEvaluate(size))
      return op->emitOpError() << "has size " << size
                               << ", which the function's symbols do not give";
  return success();
}

/// Calls the runtime with the address of the values, of 8 bytes each.
void LibraryCalls::call(APIField function, const std::string &descriptor,
                        ArrayRef<Value> values) {
  constexpr size_t kMostValues =
      std::max(sizeof(tc_matrices), sizeof(tc_convolution_operands)) /
      sizeof(int64_t);
  if (!slots)
    slots = host.stackSlots(int64_t(kMostValues));
  for (auto [index, value] : llvm::enumerate(values))
    host.store(value,
               host.element(host.get().getI64Type(), slots, int32_t(index)));
  host.checkStatus(host.callRuntime(function, host.get().getI32Type(),
                                    {host.addressOf(descriptor), slots}));
}

LogicalResult LibraryCalls::emit(LibraryCallOp op,
                                 const llvm::DenseMap<Value, Value> &pointers) {
  if (failed(checkOperands(op, op.getSizeExpressions(), pointers)))
    return failure();
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
  call(APIField::MultiplyMatrices, makeDescriptor(op), values);
  return success();
}

LogicalResult LibraryCalls::emit(LibraryConvolutionOp op,
                                 const llvm::DenseMap<Value, Value> &pointers) {
  SmallVector<SizeExprAttr, 12> expressions = op.getSizeExpressions();
  if (failed(checkOperands(op, expressions, pointers)))
    return failure();
  SmallVector<Value> values;
  for (Value buffer : {op.getImages(), op.getFilters(), op.getBias(),
                       op.getAddend(), op.getResult(), op.getWorkspace()})
    values.push_back(buffer ? pointers.lookup(buffer) : host.null());
  ArrayRef<SizeExprAttr> rest = expressions;
  constexpr size_t kCounts = 3; // of images, channels and filters
  for (SizeExpr size : rest.take_front(kCounts))
    values.push_back(sizes.of(size));
  rest = rest.drop_front(kCounts);
  // The sizes of images, window and result.
  for (; !rest.empty(); rest = rest.drop_front(op.getSpatialRank()))
    for (unsigned dim = 0; dim < TC_MAX_SPATIAL; ++dim)
      values.push_back(sizes.of(dim < op.getSpatialRank()
                                    ? SizeExpr(rest[dim])
                                    : SizeExpr::constant(op.getContext(), 1)));
  call(APIField::Convolve, makeDescriptor(op), values);
  return success();
}
