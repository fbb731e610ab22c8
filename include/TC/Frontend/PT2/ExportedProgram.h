//===- ExportedProgram.h - what torch.export.save wrote ---------*- C++ -*-===//
//
// The contents of a .pt2 archive, in memory: the captured graph, its
// signature, the ranges and guards of its symbolic sizes, and where the bytes
// of its parameters are. Names follow torch/_export/serde/schema.py, whose
// major version 8 this reads. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_PT2_EXPORTEDPROGRAM_H
#define TC_FRONTEND_PT2_EXPORTEDPROGRAM_H

#include "TC/Frontend/PT2/Expression.h"
#include "TC/Frontend/PT2/ZipArchive.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::pt2 {

struct Graph;

/// Element types, with the numbers the archive uses.
enum class ScalarType {
  Unknown = 0,
  Byte = 1,
  Char = 2,
  Short = 3,
  Int = 4,
  Long = 5,
  Half = 6,
  Float = 7,
  Double = 8,
  ComplexHalf = 9,
  ComplexFloat = 10,
  ComplexDouble = 11,
  Bool = 12,
  BFloat16 = 13,
  UInt16 = 28,
  Float8E4M3FN = 29,
  Float8E5M2 = 30,
  Float8E4M3FNUZ = 31,
  Float8E5M2FNUZ = 32,
  Float8E8M0FNU = 33,
  UInt32 = 34,
  UInt64 = 35,
};

/// The name PyTorch prints without its "torch." prefix ("float32"), or "" for
/// a number that is no ScalarType.
llvm::StringRef getScalarTypeName(ScalarType type);

/// Bytes of one element; 0 for a type without a size.
unsigned getScalarTypeSize(ScalarType type);

/// Where a tensor lives: "cpu", "cuda" ..., and which one.
struct Device {
  std::string type;
  std::optional<int64_t> index;
};

/// The export's facts on a tensor. Strides are in elements.
struct TensorMeta {
  ScalarType dtype = ScalarType::Unknown;
  std::vector<Expression> sizes;
  std::vector<Expression> strides;
  Expression storageOffset;
  Device device;
  int64_t layout = 0;
  bool requiresGrad = false;
};

enum class ArgumentKind {
  None,
  Tensor,       ///< `text` names a tensor value
  Int,          ///< `integer`
  Float,        ///< `real`
  Complex,      ///< `real` and `imaginary`
  Bool,         ///< `integer` is 0 or 1
  String,       ///< `text`
  SymInt,       ///< `text` names a symbolic integer value
  SymFloat,     ///< `text` names a symbolic real value
  SymBool,      ///< `text` names a symbolic truth value
  ScalarType,   ///< `integer` is a ScalarType
  MemoryFormat, ///< `integer`: 1 contiguous, 2 channels_last, 4 preserve
  Layout,       ///< `integer`: 7 strided
  Device,       ///< `device`
  Graph,        ///< `graph`, the body of a higher-order operator, called `text`
  CustomObject, ///< `text` names a custom object
  Operator,     ///< `text` names an operator
  List,         ///< `elements`
  Dictionary,   ///< `elements`, under `keys`
};

/// One argument or result of a call.
struct Argument {
  ArgumentKind kind = ArgumentKind::None;
  std::string text;
  int64_t integer = 0;
  double real = 0.0;
  double imaginary = 0.0;
  Device device;
  std::shared_ptr<Graph> graph;
  std::vector<Argument> elements;
  std::vector<std::string> keys;
};

/// An argument under the name the operator's schema gives it.
struct NamedArgument {
  std::string name;
  Argument value;
};

/// A captured call. Arguments left at their default are absent.
struct Node {
  /// "torch.ops.aten.add.Tensor", "_operator.mul", "torch.sym_max", ...
  std::string target;
  std::string name;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  /// One `File "...", line N, in f` per frame, innermost last.
  std::string stackTrace;
};

/// A captured graph: calls in order, and what is known of every value.
struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  llvm::StringMap<TensorMeta> tensorValues;
  /// Symbolic integers, reals and truth values by name.
  llvm::StringMap<Expression> symbolicValues;
  bool isSingleTensorReturn = false;
};

/// The kind of value that an input of the graph is bound to.
struct InputSpec {
  enum Kind {
    UserInput,
    Parameter,
    Buffer,
    TensorConstant,
    CustomObject,
    Token,
    ConstantInput, ///< a user input that the export fixed to `argument`
  } kind = UserInput;
  Argument argument;
  /// Name of the parameter, buffer or constant ("layers.0.weight").
  std::string target;
  /// Python path of a user or constant input ("L['x'][0]"), if known.
  std::string path;
  bool persistent = true;
  /// Whether a user input is the seed of the graph's random numbers. PyTorch's
  /// schema has no such input.
  bool isRandomSeed = false;
};

/// The purpose of an output of the graph.
struct OutputSpec {
  enum Kind {
    UserOutput,
    LossOutput,
    BufferMutation,
    ParameterMutation,
    UserInputMutation,
    GradientToParameter,
    GradientToUserInput,
    Token,
  } kind = UserOutput;
  Argument argument;
  /// The value that is mutated or differentiated, or the user's input that an
  /// output of the user's may overwrite; else empty.
  std::string target;
};

/// Inclusive bounds of a symbolic size; absent means unbounded.
struct RangeConstraint {
  std::optional<int64_t> minimum;
  std::optional<int64_t> maximum;
};

/// A condition the export assumed, and its text in Python.
struct Guard {
  std::string text;
  Expression condition;
};

/// A parameter, buffer or constant: `meta.sizes` etc. describe the tensor,
/// `storage` is the archive entry its elements are read from (shared by tied
/// tensors). Loading checks that all elements are inside it.
struct Weight {
  TensorMeta meta;
  const ZipEntry *storage = nullptr;
  bool isParameter = false;
};

/// A loaded .pt2 archive, or a graph alone.
struct ExportedProgram {
  /// Of the archive; of a graph alone the name that messages call it by.
  std::string path;
  std::unique_ptr<ZipArchive> archive; ///< null for a graph alone
  Graph graph;
  std::vector<InputSpec> inputSpecs;
  std::vector<OutputSpec> outputSpecs;
  std::map<std::string, RangeConstraint> ranges;
  std::vector<Guard> guards;
  /// Parameters, buffers and tensor constants by name.
  llvm::StringMap<Weight> weights;
  std::string torchVersion;

  /// Reads the archive at `path`. `modelName` picks one of several programs of
  /// an archive; left empty, the archive must hold one, or one called "model".
  static llvm::Expected<std::unique_ptr<ExportedProgram>>
  load(llvm::StringRef path, llvm::StringRef modelName = "");

  /// Reads an archive that is open already.
  static llvm::Expected<std::unique_ptr<ExportedProgram>>
  load(std::unique_ptr<ZipArchive> archive, llvm::StringRef modelName = "");

  /// Reads the text of a graph without weights: what an archive has as
  /// `models/NAME.json`.
  static llvm::Expected<std::unique_ptr<ExportedProgram>>
  parse(llvm::StringRef text, llvm::StringRef name);

  /// The user or constant input that a guard means by `path`, or null.
  const InputSpec *findInput(llvm::StringRef path) const;

  /// The values that symbolic sizes of inputs had in the example that the
  /// program was captured with, by the symbols' names.
  llvm::StringMap<int64_t> getExampleSizes() const;
};

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_EXPORTEDPROGRAM_H
