//===- KernelFrame.cpp - Where a kernel's code goes -----------------------===//

#include "KernelFrame.h"
#include "TC/Conversion/SizeEmission.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tc;

/// Complex numbers are moved as their bits.
static Type getBitsType(ComplexType type) {
  return IntegerType::get(type.getContext(), 8 * getElementBytes(type));
}

Type tc::getComputeType(Type type) {
  MLIRContext *context = type.getContext();
  if (auto complex = dyn_cast<ComplexType>(type))
    return getBitsType(complex);
  if (isa<FloatType>(type))
    return type.isF64() ? type : Float32Type::get(context);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(context, integer.getWidth());
  return type;
}

Type tc::getStorageType(Type type) {
  MLIRContext *context = type.getContext();
  if (auto complex = dyn_cast<ComplexType>(type))
    return getBitsType(complex);
  if (type.isInteger(1))
    return IntegerType::get(context, 8);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(context, integer.getWidth());
  // Floats that few targets have instructions for are moved as bits.
  if (isa<FloatType>(type) &&
      (type.isBF16() || type.getIntOrFloatBitWidth() == 8))
    return IntegerType::get(context, type.getIntOrFloatBitWidth());
  return type;
}

Type tc::getLaneType(Type type, int64_t lanes) {
  return lanes == 1 ? type : Type(VectorType::get({lanes}, type));
}

Value KernelFrame::emitKeptLoad(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(builder, loc, type, pointer, alignment);
}

KernelFrame::KernelFrame(KernelOp kernel, vectormath::VectorMathOptions options)
    : kernel(kernel), dims(kernel),
      builder(OpBuilder(kernel.getContext()), options), loc(kernel.getLoc()) {
  collectSymbols();
}

/// Symbols of the domain and of the buffers' sizes, and what those of the maps
/// stand for: a minimum is computed once a launch, and checked there for sizes
/// that 64 bits do not hold.
void KernelFrame::collectSymbols() {
  auto add = [&](SizeExpr size) {
    if (!llvm::is_contained(symbols, size))
      symbols.push_back(size);
  };
  auto visit = [&](StringRef name) {
    add(SizeExpr::named(kernel.getContext(), name));
  };
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    kernel.getDimSize(dim).walkSymbols(visit);
  for (Value operand : kernel.getOperands())
    for (SizeExpr size : getSizes(cast<ShapedType>(operand.getType())))
      size.walkSymbols(visit);
  for (SizeExpr symbol : kernel.getSymbols().getAsRange<SizeExpr>())
    add(symbol);
  kernel.walk([&](SizeScalarOp op) { op.getSize().walkSymbols(visit); });
}

size_t KernelFrame::numSlots() {
  return kernel.getBodyBlock().getNumArguments() + symbols.size() + 1;
}

void KernelFrame::startBody(ValueRange slots) {
  auto arguments = kernel.getBodyBlock().getArguments();
  for (auto [argument, pointer] : llvm::zip(arguments, slots))
    pointers[argument] = pointer;
  slots = slots.drop_front(arguments.size());
  for (auto [symbol, value] : llvm::zip(symbols, slots))
    sizes[symbol] = value;
  status = slots.back();
  // A marker that the body never passes.
  entryEnd = arith::ConstantIntOp::create(builder, loc, 0, 64);
}

SizeExpr KernelFrame::affineSymbol(unsigned index) const {
  return const_cast<KernelOp &>(kernel).getSymbol(index);
}

Value KernelFrame::size(SizeExpr expr) {
  if (auto value = expr.getConstant())
    return constant(*value);
  Value &known = sizes[expr];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(entryEnd);
    Value value = evaluate(expr);
    sizes[expr] = value;
    return value;
  }
  return known;
}

namespace {
/// Arithmetic on sizes in a kernel.
struct KernelArithmetic {
  KernelFrame &frame;

  Value constant(int64_t value) { return frame.constant(value); }
  Value add(Value a, Value b) { return frame.add(a, b); }
  Value mul(Value a, Value b) { return frame.mul(a, b); }
  Value min(Value a, Value b) {
    return arith::MinSIOp::create(frame.builder, frame.loc, a, b);
  }
  Value max(Value a, Value b) {
    return arith::MaxSIOp::create(frame.builder, frame.loc, a, b);
  }
  Value floorDiv(Value a, Value b) {
    return arith::FloorDivSIOp::create(frame.builder, frame.loc, a, b);
  }
  Value mod(Value a, Value b) {
    return frame.sub(a, frame.mul(floorDiv(a, b), b));
  }
};
} // namespace

Value KernelFrame::evaluate(SizeExpr expr) {
  SmallVector<Value> operands;
  for (Attribute operand : expr.getOperands())
    operands.push_back(size(cast<SizeExpr>(operand)));
  return emitSizeNode(expr.getKind(), expr.getValue(), operands,
                      KernelArithmetic{*this});
}

Value KernelFrame::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&function.getFunctionBody().front());
    known = arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  return known;
}

Value KernelFrame::add(Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x + *y);
  if (x && *x == 0)
    return b;
  if (y && *y == 0)
    return a;
  return arith::AddIOp::create(builder, loc, a, b);
}

Value KernelFrame::sub(Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x - *y);
  if (y && *y == 0)
    return a;
  return arith::SubIOp::create(builder, loc, a, b);
}

Value KernelFrame::mul(Value a, Value b) {
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return constant(*x * *y);
  if ((x && *x == 0) || (y && *y == 1))
    return a;
  if ((y && *y == 0) || (x && *x == 1))
    return b;
  return arith::MulIOp::create(builder, loc, a, b);
}

Value KernelFrame::reportUnboundDim(int64_t dim) {
  if (!foundUnboundDims)
    kernel.emitOpError("'")
        << kernel.getName() << "' is read or written over dimension " << dim
        << " where the code for its schedule has no index for it; please "
           "report this module as a mistake of the compiler";
  foundUnboundDims = true;
  return constant(0);
}

void KernelFrame::reportFailure(Value failed, KernelStatus code) {
  usesStatus = true;
  scf::IfOp::create(builder, loc, failed, [&](OpBuilder &b, Location loc) {
    LLVM::StoreOp::create(
        b, loc, arith::ConstantIntOp::create(b, loc, code, 64), status);
    scf::YieldOp::create(b, loc);
  });
}

Value KernelFrame::allocateScratch(Type type, SizeExpr count) {
  Value elements = size(count);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(entryEnd);
  auto room = LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), type,
      elements, /*alignment=*/64);
  if (!count.isConstant())
    room->setAttr(kScratchElementsAttr, count);
  return room;
}

Value KernelFrame::allocateScratch(Type type, int64_t count) {
  return allocateScratch(type, SizeExpr::constant(builder.getContext(), count));
}
