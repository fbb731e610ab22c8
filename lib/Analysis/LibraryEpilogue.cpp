//===- LibraryEpilogue.cpp - What libraries do with sums ------------------===//

#include "LibraryEpilogue.h"

using namespace mlir;
using namespace tc;

/// The value before a conversion of floats; `value` itself where none is.
Value EpilogueReader::takeCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !isa<FloatType>(cast.getX().getType()))
    return value;
  ++ops;
  return cast.getX();
}

ReadOp EpilogueReader::takeOperand(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      numberOf(read) >= kernel.getIns().size())
    return nullptr;
  ++ops;
  return read;
}

void EpilogueReader::readActivation(Value &value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ReluOp>(op))
    activation = ProductActivation::Relu;
  else if (isa_and_nonnull<GeluTanhOp>(op))
    activation = ProductActivation::GeluTanh;
  else
    return;
  ++ops;
  value = op->getOperand(0);
}

/// The read of what is added, perhaps converted; null for another value.
ReadOp EpilogueReader::findAddend(Value value) {
  size_t before = ops;
  ReadOp read = takeOperand(takeCast(value));
  if (!read)
    ops = before;
  return read;
}

bool EpilogueReader::readAddend(Value &value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return false;
  Value sum = add.getX();
  ReadOp addend = findAddend(add.getY());
  if (!addend) {
    sum = add.getY();
    addend = findAddend(add.getX());
  }
  if (!addend)
    return false;
  addends.push_back(addend);
  ++ops;
  value = sum;
  return true;
}

void EpilogueReader::readScale(Value &value) {
  auto mul = value.getDefiningOp<MulOp>();
  if (!mul)
    return;
  for (auto [factor, other] :
       {std::pair(mul.getY(), mul.getX()), std::pair(mul.getX(), mul.getY())}) {
    auto constant = factor.getDefiningOp<ScalarOp>();
    auto number =
        constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
    if (!number || !number.getType().isF32())
      continue;
    ops += 2;
    scale = number;
    value = other;
    return;
  }
}

llvm::Error EpilogueReader::read(ContractStageOp stage, unsigned mostAddends) {
  auto writes = kernel.getBodyBlock().getOps<WriteOp>();
  if (!llvm::hasSingleElement(writes))
    return noLibraryKernel("it writes several results");
  write = *writes.begin();
  if (write.isScatter() || write.getWithin())
    return noLibraryKernel("its result is not written to every point");
  ++ops;
  Value value = takeCast(write.getValue());
  readActivation(value);
  while (addends.size() < mostAddends && readAddend(value))
    ;
  readScale(value);
  if (value != stage.getResult())
    return noLibraryKernel(
        "what it does to the sums is more than a scale, a bias, and "
        "relu or gelu_tanh");
  ++ops;
  return llvm::Error::success();
}

bool EpilogueReader::isComplete() {
  return ops == kernel.getBodyBlock().getOperations().size();
}
