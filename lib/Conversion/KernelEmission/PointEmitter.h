//===- PointEmitter.h - A kernel's values at a point ------------*- C++ -*-===//
//
// Emits the values of a kernel's body at points of its domain. A scope binds
// dimensions to indices, usually for the body of one loop; a value is emitted
// once, in the outermost scope that binds all dimensions it varies over. One
// dimension may be bound to lanes: consecutive points that are computed
// together, as vectors, under a mask at the end of the dimension.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H
#define TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H

#include "KernelFrame.h"
#include "TC/Analysis/ElementDistance.h"
#include "TC/Analysis/KernelIterations.h"
#include <functional>

namespace tc {

struct Folding;

/// Bytes of which an element's address is a multiple: those of a part of a
/// complex number.
unsigned getAlignment(mlir::Type elementType);

/// A mask of all lanes or of none.
mlir::Value makeConstantMask(mlir::OpBuilder &builder, mlir::Location loc,
                             int64_t lanes, bool value);

/// Consecutive points of dimension `dim`, from the index that the scope binds.
struct Lanes {
  unsigned dim;
  int64_t count;
  /// vector of i1: which lanes lie in the dimension; null when all do.
  mlir::Value mask;
};

/// Dimensions bound to indices (i64), inside of an outer scope.
struct Scope {
  Scope(KernelFrame &frame)
      : bound(frame.kernel.getNumDims()), boundHere(bound),
        indices(frame.kernel.getNumDims()) {}
  explicit Scope(Scope &parent)
      : parent(&parent), bound(parent.bound), boundHere(bound.size()),
        indices(parent.indices), lanes(parent.lanes), apart(parent.apart) {}

  void bind(unsigned dim, mlir::Value index) {
    bound.set(dim);
    boundHere.set(dim);
    indices[dim] = index;
  }

  Scope *parent = nullptr;
  /// Where the loop goes that this scope, which binds nothing, is a block of.
  Scope *blockOf = nullptr;
  DimSet bound;
  /// Those that this scope binds itself, some perhaps anew: a reduction inside
  /// of a loop over the dimension that it folds.
  DimSet boundHere;
  llvm::SmallVector<mlir::Value> indices;
  std::optional<Lanes> lanes;
  /// Inside of a loop that a team shares out: each worker at its own point.
  bool apart = false;
  /// While a loop inside this scope is being filled: that loop. Code of this
  /// scope goes before it.
  mlir::Operation *openLoop = nullptr;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  /// In a loop along which values are scanned: their folds up to the point
  /// before this one.
  llvm::DenseMap<mlir::Value, mlir::Value> scanned;
};

/// Workers that run the same code together, each at its own points of one
/// dimension: the threads of a block on a GPU. What varies over that dimension
/// is a worker's own, a fold over it is combined among them; everything else
/// all of them compute alike, and one of them writes.
class WorkerTeam {
public:
  WorkerTeam(unsigned dim, mlir::Value number, mlir::Value count)
      : dim(dim), number(number), count(count) {}
  virtual ~WorkerTeam() = default;

  const unsigned dim;
  /// Which worker this is, and how many there are (i64).
  const mlir::Value number, count;

  /// Folds the states of all workers, in a fixed order; each gets the result.
  using Combine = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::ValueRange, mlir::ValueRange)>;
  virtual llvm::SmallVector<mlir::Value> combine(mlir::ValueRange states,
                                                 Combine combine) = 0;
  /// Waits until all workers have read what they read before, and tells (i1)
  /// whether this one writes for the team.
  virtual mlir::Value emitTurn() = 0;
};

class PointEmitter {
public:
  PointEmitter(KernelFrame &frame, std::optional<unsigned> vectorDim,
               int64_t laneCount);

  KernelFrame &frame;
  /// The dimension that lanes run along, and how many at a time.
  std::optional<unsigned> vectorDim;
  int64_t laneCount;
  /// `vectorDim` as the schedule has it; for some loops it is another one.
  const std::optional<unsigned> scheduledDim = vectorDim;
  /// Writes whole vectors past the caches; their addresses must be multiples of
  /// kLineBytes.
  bool nontemporal = false;
  /// Who shares out a dimension; null for a worker on its own.
  WorkerTeam *team = nullptr;
  /// Whether loops over `dim` in `scope` run a part of it on each worker.
  bool isShared(const Scope &scope, unsigned dim) const {
    return team && team->dim == dim && !scope.apart;
  }

  /// The value of `value` in `scope`: of its compute type, a vector when it
  /// varies over the scope's lanes. bf16 and f16 are held as f32.
  mlir::Value emit(mlir::Value value, Scope &scope);
  /// As `emit`, as a vector even when it does not vary over the lanes.
  mlir::Value emitVector(mlir::Value value, Scope &scope);
  /// What `read` loads in `scope`, as it is stored.
  mlir::Value emitStored(ReadOp read, Scope &scope);
  /// A stored vector or scalar of element type `type` in its compute type.
  mlir::Value widen(mlir::Value stored, mlir::Type type);
  /// The other way.
  mlir::Value narrow(mlir::Value computed, mlir::Type type);
  void emitWrite(WriteOp write, Scope &scope);

  /// Runs `body` in a loop over dimension `dim` of `scope`, bound in a new
  /// scope, with values carried from one iteration to the next. The vector
  /// dimension advances by lanes, its last iteration masked when necessary.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Scope &, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> emitLoop(Scope &scope, unsigned dim,
                                          mlir::ValueRange init, LoopBody body);
  /// The same for a part [low, high) of the vector dimension or any other.
  llvm::SmallVector<mlir::Value> emitLoop(Scope &scope, unsigned dim,
                                          mlir::Value low, mlir::Value high,
                                          mlir::ValueRange init, LoopBody body);
  /// Runs `body` for [low, high) cut into blocks of `size`.
  using BlockBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      Scope &, mlir::Value low, mlir::Value high, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> emitBlocks(Scope &scope, mlir::Value low,
                                            mlir::Value high, int64_t size,
                                            mlir::ValueRange init,
                                            BlockBody body);
  /// Makes loops over `dim` end at `high` instead of the dimension's size.
  void limit(unsigned dim, mlir::Value high) { limits[dim] = high; }
  /// Loops over all of `dims`, outermost first.
  llvm::SmallVector<mlir::Value> emitLoops(Scope &scope,
                                           llvm::ArrayRef<unsigned> dims,
                                           mlir::ValueRange init,
                                           LoopBody body);

  /// The same without carried values, for a body that needs `roots`: what they
  /// scan along the loops is carried.
  void emitScanLoops(Scope &scope, llvm::ArrayRef<unsigned> dims,
                     llvm::ArrayRef<mlir::Value> roots,
                     llvm::function_ref<void(Scope &)> body);

  /// `dims` in the order loops over them nest: as in the domain, then the
  /// vector dimension, then dimensions that values are scanned along.
  llvm::SmallVector<unsigned> loopOrder(const DimSet &dims) const;

  /// Whether `value` is a vector in `scope`.
  bool isVector(mlir::Value value, const Scope &scope) const;

  /// Takes `value` from `provider` instead of computing it.
  using Provider = std::function<mlir::Value(Scope &)>;
  void provide(mlir::Value value, Provider provider) {
    providers[value] = std::move(provider);
  }

  /// Keeps `value`, whose only dimension that is not bound outside is `dim`, in
  /// a buffer from which loops over `dim` take it. It is computed by a loop of
  /// its own `ahead` of them, or else by the first of them; then `dim` is the
  /// vector dimension.
  void keepInBuffer(mlir::Value value, unsigned dim, bool ahead) {
    buffered.try_emplace(value, Buffer{dim, ahead});
  }
  bool keepsValues() const { return !buffered.empty(); }
  /// The iteration of the launch that is being emitted: buffers hold values of
  /// its points.
  const Scope *iteration = nullptr;
  /// `dim`, when a loop over it in `scope` that computes `roots` can run on
  /// lanes instead of the vector dimension: all it needs along `dim` is kept or
  /// contiguous. `filled` is what the loop itself fills the buffer of, if it
  /// does.
  std::optional<unsigned> lanesInstead(const Scope &scope, unsigned dim,
                                       mlir::ValueRange roots,
                                       mlir::Value filled = {});

  /// Where the scope's point of `read`, a read without conditions or dynamic
  /// indices, lies.
  mlir::Value pointerTo(ReadOp read, Scope &scope);
  /// The same of a write.
  mlir::Value pointerTo(WriteOp write, Scope &scope);

private:
  /// One access: linear offset of the first lane and how lanes are apart.
  struct Address {
    mlir::Value pointer; ///< of the first lane, or per lane (a vector)
    enum { Uniform, Contiguous, Strided, PerLane } kind;
    int64_t apart = 1;  ///< elements from lane to lane, if Strided
    mlir::Value mask;   ///< i1 or vector of i1; null when always on
    mlir::Value exists; ///< i1: not where the buffer is empty; null when always
  };
  Address emitAddress(mlir::Operation *op, mlir::Value buffer,
                      mlir::AffineMap map, mlir::ValueRange dynamicIndices,
                      std::optional<mlir::IntegerSet> within, Scope &scope);
  llvm::SmallVector<mlir::Value> emitDynamicIndices(mlir::ValueRange indices,
                                                    Scope &scope);
  void placeLanes(Address &address, mlir::ShapedType type, mlir::AffineMap map,
                  bool isRead, bool indicesVary, Scope &scope);
  mlir::Value emitAffine(mlir::AffineExpr expr,
                         llvm::ArrayRef<mlir::Value> inputs);
  mlir::Value emitFloorDiv(mlir::Value value, mlir::Value divisor);
  mlir::Value emitInside(mlir::IntegerSet set, Scope &scope);
  /// Indices of the domain in `scope`, the lanes' one as a vector if asked.
  llvm::SmallVector<mlir::Value> indexInputs(Scope &scope, bool lanesAsVector);
  mlir::Value laneNumbers(int64_t count);
  /// Makes both vectors if one of them is; whether they are.
  bool matchLanes(mlir::Value &a, mlir::Value &b);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value checkRange(mlir::Value index, mlir::Value size, mlir::Value mask);
  void restrictToElements(Address &address, SizeExpr size);

  mlir::Value emitRead(ReadOp read, Scope &scope);
  mlir::Value emitLoad(const Address &address, mlir::Type elementType,
                       Scope &scope);
  mlir::Value emitStridedLoad(const Address &address, mlir::Type elementType,
                              int64_t lanes);
  /// Some of the lanes; behind the last of all nothing is loaded.
  mlir::Value emitStridedPiece(const Address &address, mlir::Type elementType,
                               int64_t lanes, bool isLast);
  void emitStore(const Address &address, mlir::Value value,
                 mlir::Type elementType, CombineKind combine, Scope &scope);
  /// Which operand of a difference must count as it is rounded, if one must.
  std::optional<unsigned> findRounded(SubOp op) const;
  mlir::Value emitPointwise(mlir::Operation *op, Scope &scope);
  mlir::Value emitOp(mlir::Value value, Scope &scope);
  mlir::Value emitBuffered(mlir::Value value, Scope &scope);
  mlir::Value broadcast(mlir::Value value, int64_t lanes);
  /// One loop; in the vector dimension of whole vectors or of masked ones.
  llvm::SmallVector<mlir::Value> emitPart(Scope &scope, unsigned dim,
                                          mlir::Value low, mlir::Value high,
                                          bool masked, mlir::ValueRange init,
                                          LoopBody body);
  /// The end of the whole vectors of [low, high).
  mlir::Value emitVectorEnd(unsigned dim, mlir::Value low, mlir::Value high);
  /// Once a loop over `dim` in `scope` is complete, the buffers that it filled
  /// hold the whole row.
  void markFilled(Scope &scope, unsigned dim);
  void fillAhead(mlir::Value value, Scope &scope);
  mlir::Value bufferAddress(mlir::Value value, Scope &scope);
  /// Puts the builder where code of `scope` goes.
  void moveInto(Scope &scope);
  /// `dividend`, a vector, divided by a scalar; nothing where division is best.
  mlir::Value emitUniformDivision(mlir::Value dividend, mlir::Value divisor);
  Scope &home(mlir::Value value, Scope &scope);

  // Stages (StageEmitter.cpp).
  /// How a sum goes on: its states before the first term, after one more
  /// point, and of two parts together.
  struct SumSteps {
    llvm::function_ref<llvm::SmallVector<mlir::Value>()> init;
    LoopBody step;
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange,
                                                      mlir::ValueRange)>
        combine;
  };
  /// Adds up [low, high) in `levels` levels of blocks.
  llvm::SmallVector<mlir::Value>
  emitSumLevels(Scope &scope, unsigned dim, mlir::Value low, mlir::Value high,
                unsigned levels, const SumSteps &steps,
                mlir::ValueRange carried);
  llvm::SmallVector<mlir::Value> emitSumLoops(Scope &scope,
                                              llvm::ArrayRef<unsigned> dims,
                                              const SumSteps &steps,
                                              mlir::ValueRange carried);
  mlir::Value emitScan(ScanStageOp scan, Scope &scope);
  void emitReductions(mlir::Operation *stage, Scope &scope);
  std::optional<unsigned> lanesInsteadOf(llvm::ArrayRef<Folding> monoids,
                                         Scope &scope);
  /// Folds a stage's states, of lanes or of workers that shared the loops, to
  /// its results.
  void finishReduction(const Folding &monoid,
                       llvm::ArrayRef<mlir::Value> states, bool areLanes,
                       const DimSet &overDims, Scope &scope);
  llvm::SmallVector<mlir::Operation *> stagesTogether(mlir::Operation *stage,
                                                      Scope &scope);

  struct Buffer {
    unsigned dim = 0;
    bool ahead = false;
    mlir::Value pointer = {};
    bool filled = false;
    Scope *filling = nullptr; ///< where the loop goes that fills it now
  };
  /// Whether `scope` is at the points that the buffer of `value` holds: not
  /// inside of a fold over a dimension of the launch's iterations.
  bool isHeld(mlir::Value value, const Scope &scope) const;
  /// Whether `scope` is that of the launch's iteration, or inside of it.
  bool isInIteration(const Scope &scope) const;
  llvm::MapVector<mlir::Value, Buffer> buffered;
  llvm::DenseMap<mlir::Value, Provider> providers;
  llvm::DenseMap<unsigned, mlir::Value> limits;
};

/// While it lives, lanes run along `dim`, or as scheduled if there is none.
class LanesAlong {
public:
  LanesAlong(PointEmitter &emitter, std::optional<unsigned> dim);
  LanesAlong(const LanesAlong &) = delete;
  LanesAlong &operator=(const LanesAlong &) = delete;
  ~LanesAlong();

private:
  PointEmitter &emitter;
  std::optional<unsigned> vectorDim;
};

/// Keeps the values that several loops inside of one iteration need; `open` are
/// the dimensions of those loops.
void keepSharedValues(PointEmitter &emitter, const DimSet &open);

/// Bytes of a cache line.
inline constexpr int64_t kLineBytes = 64;

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_POINTEMITTER_H
