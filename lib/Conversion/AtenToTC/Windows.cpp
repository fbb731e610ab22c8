//===- Windows.cpp - windows that slide over a tensor ---------------------===//

#include "Windows.h"
#include "AtenTable.h"
#include "Promotion.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

Value getPositions(AtenCall &call, const Windows &windows) {
  Sizes sizes{windows.count, call.constant(windows.length)};
  Value start = call.binary<MulOp>(call.iota(sizes, 0),
                                   static_cast<double>(windows.stride));
  Value inside = call.binary<MulOp>(call.iota(sizes, 1),
                                    static_cast<double>(windows.dilation));
  return call.binary<AddOp>(start, inside);
}

SmallVector<Value> getPlaces(AtenCall &call, ArrayRef<Windows> windows) {
  Sizes shape;
  for (const Windows &along : windows)
    shape.append({along.count, call.constant(along.length)});
  SmallVector<Value> places;
  for (auto [axis, along] : llvm::enumerate(windows)) {
    Sizes column(shape.size(), call.constant(1));
    std::copy_n(shape.begin() + 2 * axis, 2, column.begin() + 2 * axis);
    places.push_back(
        call.broadcast(call.reshape(getPositions(call, along), column), shape));
  }
  return places;
}

/// x with `dim` replaced by two: the windows, and the elements of each.
static Value takeWindows(AtenCall &call, Value x, int64_t dim,
                         const Windows &windows) {
  Sizes sizes = sizesOf(x);
  sizes[dim] = windows.count;
  sizes.insert(sizes.begin() + dim + 1, call.constant(windows.length));
  return IndexOp::create(call.builder, call.location,
                         getTensorType(sizes, elementOf(x)), x,
                         getPositions(call, windows), dim);
}

// Pattern: aten.unfold(x, dim, size, step) -> tc.index_tensors, then
// tc.transpose
static LogicalResult convertUnfold(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x), dim = call.getDim("dimension", rank);
  int64_t size = call.getInteger("size"), step = call.getInteger("step");
  if (call.hasFailed() || rank == 0 || size < 1 || step < 1)
    return call.hasFailed() ? failure() : call.refuse("these sizes");
  SizeExpr count =
      sizesOf(x)[dim].add(-size).floorDiv(call.constant(step)).add(1);
  x = takeWindows(call, x, dim, {count, size, step, 1});
  SmallVector<int64_t> permutation;
  for (int64_t i = 0; i <= rank; ++i)
    if (i != dim + 1)
      permutation.push_back(i);
  permutation.push_back(dim + 1); // the elements of a window come last
  return call.replace(call.transpose(x, permutation));
}

/// The windows of the two last dimensions of an image, of these sizes with the
/// padding.
static SmallVector<Windows> readWindows(AtenCall &call, SizeExpr height,
                                        SizeExpr width) {
  auto kernel = call.getIntegers("kernel_size", 2),
       stride = call.getIntegers("stride", 2),
       dilation = call.getIntegers("dilation", 2);
  SmallVector<Windows> windows;
  for (int64_t axis = 0; axis < 2; ++axis) {
    int64_t reach = dilation[axis] * (kernel[axis] - 1) + 1;
    if (call.hasFailed() || stride[axis] < 1 || kernel[axis] < 1) {
      (void)call.refuse("these sizes");
      return {};
    }
    SizeExpr count = (axis == 0 ? height : width)
                         .add(-reach)
                         .floorDiv(call.constant(stride[axis]))
                         .add(1);
    windows.push_back({count, kernel[axis], stride[axis], dilation[axis]});
  }
  return windows;
}

// Pattern: aten.im2col(x, kernel) -> tc.pad, two tc.index_tensors, tc.transpose
// and tc.reshape
static LogicalResult convertIm2col(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x);
  auto padding = call.getIntegers("padding", 2);
  if (call.hasFailed() || (rank != 3 && rank != 4))
    return call.hasFailed() ? failure() : call.refuse("this rank");
  SmallVector<int64_t> around(rank, 0);
  Sizes sizes = sizesOf(x);
  for (int64_t axis = 0; axis < 2; ++axis) {
    around[rank - 2 + axis] = padding[axis];
    sizes[rank - 2 + axis] = sizes[rank - 2 + axis].add(2 * padding[axis]);
  }
  TypedAttr zero =
      convertNumber(call.builder.getI64IntegerAttr(0), elementOf(x));
  x = PadOp::create(call.builder, call.location,
                    getTensorType(sizes, elementOf(x)), PadMode::Constant, x,
                    around, around, zero);
  SmallVector<Windows> windows =
      readWindows(call, sizes[rank - 2], sizes[rank - 1]);
  if (windows.empty())
    return failure();
  x = takeWindows(call, x, rank - 2, windows[0]);
  x = takeWindows(call, x, rank, windows[1]);
  // [.., rows, in row, columns, in column] -> the windows last.
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  for (int64_t dim : {1, 3, 0, 2})
    permutation.push_back(rank - 2 + dim);
  x = call.transpose(x, permutation);
  Sizes joined(ArrayRef<SizeExpr>(sizes).take_front(rank - 3));
  joined.push_back(sizes[rank - 3].mul(windows[0].length * windows[1].length));
  joined.push_back(windows[0].count.mul(windows[1].count));
  return call.replace(call.reshape(x, joined));
}

// Pattern: aten.col2im(x, size, kernel) -> tc.index_put sum into zeros, then
// tc.slice
static LogicalResult convertCol2im(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t rank = rankOf(x) + 1; // of the image
  auto padding = call.getIntegers("padding", 2);
  Sizes image = call.getSizeList("output_size");
  if (call.hasFailed() || (rank != 3 && rank != 4) || image.size() != 2)
    return call.hasFailed() ? failure() : call.refuse("these sizes");
  SizeExpr height = image[0].add(2 * padding[0]),
           width = image[1].add(2 * padding[1]);
  SmallVector<Windows> windows = readWindows(call, height, width);
  if (windows.empty())
    return failure();
  SizeExpr inWindow = call.constant(windows[0].length * windows[1].length);
  Sizes sizes(ArrayRef<SizeExpr>(sizesOf(x)).take_front(rank - 3));
  sizes.push_back(sizesOf(x)[rank - 3].floorDiv(inWindow));
  Sizes split = sizes;
  split.append({call.constant(windows[0].length),
                call.constant(windows[1].length), windows[0].count,
                windows[1].count});
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  for (int64_t dim : {2, 0, 3, 1})
    permutation.push_back(rank - 2 + dim);
  x = call.transpose(call.reshape(x, split), permutation);
  sizes.append({height, width});
  RankedTensorType type = getTensorType(sizes, elementOf(x));
  Value zeros = call.fill(call.builder.getI64IntegerAttr(0), type);
  Value sum = IndexPutOp::create(
      call.builder, call.location, type, CombineKind::Sum, zeros,
      getPlaces(call, windows), x, ArrayRef<int64_t>{rank - 2, rank - 1});
  for (int64_t axis = 0; axis < 2; ++axis)
    sum = call.slice(sum, rank - 2 + axis, call.constant(padding[axis]),
                     image[axis]);
  return call.replace(sum);
}

void addWindows(AtenTable &table) {
  table.add({"unfold.default", "unfold_copy.default"}, convertUnfold);
  table.add({"im2col.default"}, convertIm2col);
  table.add({"col2im.default"}, convertCol2im);
}

} // namespace tc::aten
