//===- ImportGraph.h - captured graphs as tc.aten calls ---------*- C++ -*-===//
//
// Turns the calls of a graph into ops. Mutation ends here: an in-place call
// becomes its functional counterpart, and every name that shares the memory
// sees the new value.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_IMPORTGRAPH_H
#define TC_LIB_FRONTEND_PT2_IMPORTGRAPH_H

#include "ImportTypes.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Frontend/PT2/ExportedProgram.h"
#include "TC/Frontend/PT2/OperatorSchema.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"

#include <deque>
#include <map>

namespace tc::pt2 {

/// Memory that several tensors share; `version` counts the writes to it.
struct Storage {
  unsigned version = 0;
};

/// A tensor of the graph. A view has a `base` it was taken from by `view`; its
/// value is out of date when the storage was written through another name.
struct TensorEntry {
  Storage *storage = nullptr;
  mlir::Value value;
  unsigned version = 0;
  TensorEntry *base = nullptr;
  const Node *view = nullptr;
  unsigned resultIndex = 0;
  /// The levels of torch.vmap that the first dimensions of `value` stand for,
  /// in increasing order; none outside of vmap.
  llvm::SmallVector<int64_t> levels;
};

/// The names of one graph.
struct Scope {
  const Graph *graph = nullptr;
  llvm::StringMap<TensorEntry *> tensors;
};

/// Imports graphs into the block its builder stands in. Failures are emitted
/// as diagnostics at the location of the call.
class GraphImporter {
public:
  explicit GraphImporter(mlir::OpBuilder &builder) : builder(builder) {}

  /// A new tensor with memory of its own.
  TensorEntry *addTensor(mlir::Value value);
  /// The up-to-date value of a tensor.
  mlir::Value read(TensorEntry *entry);

  /// Imports all calls of `scope.graph`, whose inputs the scope names.
  mlir::LogicalResult importNodes(Scope &scope);
  /// The value of a graph output or argument that is a tensor or a size; null,
  /// without a diagnostic, for constants.
  mlir::FailureOr<mlir::Value> getValue(Scope &scope, const Argument &argument,
                                        mlir::Location location);
  /// Takes the ranges of the archive's symbols, by name; own ones come behind.
  void setRanges(std::map<std::string, RangeConstraint> known);
  /// The range of a symbol of the archive, or of the importer's own.
  RangeConstraint getRange(llvm::StringRef symbol) const;
  /// The size a symbolic argument stands for, or null.
  SizeExpr getSize(Scope &scope, const Argument &argument);

private:
  /// Arguments of a call under construction.
  struct Call {
    std::string overload; ///< "add.Tensor"
    mlir::Location location;
    llvm::SmallVector<mlir::Value> inputs;
    mlir::NamedAttrList arguments;
    llvm::SmallVector<int64_t> numbers = {}; ///< inputs that are numbers
  };

  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  mlir::LogicalResult importNode(Scope &scope, const Node &node);
  mlir::LogicalResult importSizes(Scope &scope, const Node &node,
                                  mlir::Location location);
  mlir::LogicalResult importItem(Scope &scope, const Node &node,
                                 mlir::Location location);
  mlir::LogicalResult importCheck(Scope &scope, const Node &node,
                                  mlir::Location location);
  mlir::LogicalResult importCall(Scope &scope, const Node &node,
                                 mlir::Location location);
  mlir::LogicalResult importInPlace(Scope &scope, const Node &node,
                                    const OperatorSchema &schema,
                                    mlir::Location location);
  /// fill_diagonal_ of a matrix, which has no functional form.
  mlir::LogicalResult fillDiagonal(Scope &scope, const Node &node,
                                   TensorEntry *entry, mlir::Location location);
  /// Calls the functional form of a call that writes to `mutated`, and writes;
  /// `fresh` gets the results that are no argument.
  mlir::LogicalResult callFunctional(Scope &scope, const Node &node,
                                     const OperatorSchema &schema,
                                     const OperatorSchema &functional,
                                     llvm::ArrayRef<TensorEntry *> mutated,
                                     llvm::SmallVectorImpl<mlir::Value> &fresh,
                                     mlir::Location location);
  // torch.vmap (ImportBatches.cpp).
  /// A call that opens or closes a level of vmap for a tensor.
  mlir::LogicalResult importBatching(Scope &scope, const Node &node,
                                     mlir::Location location);
  /// A call with operands that have levels.
  mlir::LogicalResult importBatched(Scope &scope, const Node &node,
                                    const OperatorSchema *schema,
                                    llvm::StringRef overload,
                                    mlir::Location location);
  bool hasLevels(Scope &scope, const Node &node);
  /// Adds a tensor whose value has levels in front.
  void addBatched(Scope &scope, llvm::StringRef name, mlir::Value value,
                  llvm::ArrayRef<int64_t> levels);
  mlir::Value viewAs(mlir::Value value, llvm::ArrayRef<SizeExpr> sizes,
                     mlir::Location location);
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> order,
                      mlir::Location location);
  mlir::Value expandTo(mlir::Value value, llvm::ArrayRef<SizeExpr> sizes,
                       mlir::Location location);
  mlir::LogicalResult importHigherOrder(Scope &scope, const Node &node,
                                        mlir::Location location);
  mlir::LogicalResult importInlined(Scope &scope, const Node &node,
                                    mlir::Location location);
  mlir::LogicalResult importCond(Scope &scope, const Node &node,
                                 mlir::Location location);
  mlir::LogicalResult importBranch(Scope &scope, const Node &node,
                                   const Graph &branch, mlir::Region &region,
                                   mlir::Location location);
  /// Imports a graph, of which `inner` names the inputs, into the block of a
  /// region, which yields its outputs; `what` is the graph in messages.
  mlir::LogicalResult importRegion(Scope &inner, llvm::StringRef what,
                                   mlir::Location location);

  // torch.while_loop (ImportWhile.cpp).
  mlir::LogicalResult importWhile(Scope &scope, const Node &node,
                                  mlir::Location location);
  mlir::LogicalResult importLoopRegion(const Graph &graph,
                                       llvm::ArrayRef<mlir::Value> inputs,
                                       llvm::StringRef what,
                                       mlir::Location location);
  /// Gives an input of a graph its value: a tensor, or an integer as a 0-d i64.
  mlir::LogicalResult bindInput(Scope &scope, const Argument &input,
                                mlir::Value value, mlir::Location location);

  // torch.scan and torch.map (ImportLoops.cpp).
  /// A graph that runs once a step. Its inputs: the values carried from step
  /// to step, one element of each stepped tensor, and values of all steps.
  struct Loop {
    const Graph *graph = nullptr;
    llvm::ArrayRef<Argument> carried, stepped, further;
    int64_t steps = 0;
  };
  mlir::FailureOr<Loop> readLoop(Scope &scope, const Node &node,
                                 llvm::StringRef name, mlir::Location location);
  mlir::LogicalResult importStep(Scope &scope, const Loop &loop,
                                 llvm::ArrayRef<mlir::Value> carried,
                                 int64_t step,
                                 llvm::SmallVectorImpl<mlir::Value> &results,
                                 mlir::Location location);
  mlir::LogicalResult importLoop(Scope &scope, const Node &node,
                                 llvm::StringRef name, mlir::Location location);

  /// Binds the inputs of a nested graph to operands of the call.
  mlir::LogicalResult bindInputs(Scope &outer, Scope &inner,
                                 llvm::ArrayRef<Argument> operands,
                                 mlir::Location location);
  mlir::FailureOr<mlir::Attribute> convertArgument(Scope &scope, Call &call,
                                                   const Argument &argument,
                                                   const SchemaValue *schema);
  mlir::FailureOr<mlir::Attribute> convertList(Scope &scope, Call &call,
                                               llvm::ArrayRef<Argument> list,
                                               const SchemaValue *schema);
  mlir::LogicalResult addArguments(Scope &scope, Call &call, const Node &node,
                                   const OperatorSchema *schema);
  mlir::ValueRange createCall(Call &call, mlir::TypeRange resultTypes);
  mlir::LogicalResult getResultTypes(Scope &scope, const Node &node,
                                     mlir::Location location,
                                     llvm::SmallVectorImpl<mlir::Type> &types);

  // Mutations (ImportMutations.cpp).
  mlir::LogicalResult write(TensorEntry *entry, mlir::Value value,
                            mlir::Location location);

  // Views (ImportViews.cpp).
  /// The base with the elements that `entry` views replaced by `value`.
  mlir::FailureOr<mlir::Value> writeThroughView(TensorEntry *entry,
                                                mlir::Value value,
                                                mlir::Location location);
  /// The argument of the call that made a view, its default filled in; null
  /// when there is none.
  mlir::Attribute getViewArgument(const TensorEntry &entry,
                                  llvm::StringRef name,
                                  mlir::Location location);
  /// The base with one slice of it replaced.
  mlir::Value scatterSlice(mlir::Value base, mlir::Value value,
                           mlir::Attribute dim, mlir::Attribute start,
                           mlir::Attribute end, mlir::Attribute step,
                           mlir::Location location);
  /// The base with the part that narrow, chunk or split made replaced.
  mlir::Value scatterPart(const TensorEntry &entry, mlir::Value base,
                          mlir::Value value, mlir::Location location);
  /// `value` with its dimensions in the order of the view's base.
  mlir::Value turnBack(const TensorEntry &entry, mlir::Value value,
                       mlir::Type type, mlir::Location location);
  mlir::Value createPlainCall(
      llvm::StringRef overload, mlir::ValueRange inputs,
      llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Attribute>> arguments,
      mlir::Type resultType, mlir::Location location);
  /// Refuses as_strided of a tensor whose memory is not its elements in
  /// row-major order, which is all that is known of it later.
  mlir::LogicalResult checkStrided(Scope &scope, const Node &node,
                                   llvm::StringRef overload,
                                   mlir::Location location);
  /// The tensor that result `index` of the call is a view of, or null.
  TensorEntry *findBase(Scope &scope, const Node &node,
                        const OperatorSchema &schema, unsigned resultIndex);

  // Numbers (ImportNumbers.cpp).
  /// A real number or truth value that the call computes, as a 0-d f64 or i1
  /// tensor; null for an expression that cannot be computed.
  mlir::Value makeNumber(const Expression &expression, mlir::Location location);
  mlir::Value makeCondition(const Expression &expression,
                            mlir::Location location);
  /// The same for an integer, as a 0-d i64 tensor.
  mlir::Value makeInteger(const Expression &expression,
                          mlir::Location location);
  /// Whether an expression names a symbol of `integers`.
  bool readsIntegers(const Expression &expression) const;
  /// The tensor that an argument is, or the 0-d i64 or i1 of a number; an error
  /// for others.
  mlir::FailureOr<mlir::Value> getNumberOrTensor(Scope &scope,
                                                 const Argument &argument,
                                                 mlir::Location location);
  /// Gives the integer symbol that `output` is the value of an element: a
  /// definition that sizes may follow from, but in a region an operand alone.
  mlir::LogicalResult defineInteger(Scope &scope, const Argument &output,
                                    mlir::Value value, mlir::Location location);
  /// A truth value that a tensor holds; the export knows it, or has a symbol
  /// that is 1 where it is true.
  mlir::LogicalResult importTruth(const Expression &truth, mlir::Value value,
                                  mlir::Location location);
  /// Has the call check that `value` is the number that the export took.
  void defineKnownNumber(int64_t number, mlir::Value value,
                         mlir::Location location);

  mlir::OpBuilder &builder;
  uint64_t nextSymbol = 0;
  llvm::StringSet<> knownSymbols; ///< data-dependent, made by a call so far
  std::map<std::string, RangeConstraint> ranges;
  /// The 0-d tensors that symbols of floats and bools stand for, by their text.
  llvm::StringMap<mlir::Value> numbers;
  /// The 0-d i64 tensors of the integer symbols that a region makes or a loop
  /// carries, by name: they are no sizes, as these are known in functions
  /// alone.
  llvm::StringMap<mlir::Value> integers;
  std::deque<TensorEntry> entries;
  std::deque<Storage> storages;
  /// Scopes of graphs in work, by the nodes of which views can be replayed.
  llvm::DenseMap<const Node *, Scope *> scopeOfNode;
  /// Scopes of nested graphs, which views may outlive.
  std::deque<Scope> nestedScopes;
};

/// The names of the tensors among results, elements of lists too.
llvm::SmallVector<llvm::StringRef>
getResultNames(llvm::ArrayRef<Argument> outputs);

/// The expression of a symbolic number of the scope's graph, or null.
const Expression *findExpression(const Scope &scope, const Argument &argument);

/// The argument of `node` called `name`, or null.
const Argument *findArgument(const Node &node, llvm::StringRef name);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_IMPORTGRAPH_H
