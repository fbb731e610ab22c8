//===- Entry.h - A capture of a function, and its guards --------*- C++ -*-===//

#ifndef TC_PYTHON_ENTRY_H
#define TC_PYTHON_ENTRY_H

#include "TensorCalls.h"
#include "tc-c/Guards.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::python {

/// How to get at something that a capture has used, from what is before it in
/// the list of places.
struct PlaceOfValue {
  enum Kind {
    Arguments, ///< the tuple of a call
    Keywords,  ///< the dict of a call
    Object,    ///< `key` itself
    Attribute, ///< `key` of the parent
    Item,      ///< `key` of the parent
    Type,      ///< of the parent
    Length,    ///< of the parent
    Keys,      ///< those of the parent, a dict, as a list
    Result,    ///< of a call of the parent, without arguments
  };
  Kind kind;
  size_t parent;
  nanobind::object key;
};

/// A guard of something that is no tensor.
struct ValueCheck {
  size_t place;
  bool isIdentity;
  nanobind::object expected;
  const tc_value_guard *guard;
};

/// Where a result of the function comes from.
struct ResultSource {
  enum Kind {
    Computed, ///< number `index` of what is run
    Given,    ///< what is at place `index`
    Constant, ///< `object`
  };
  Kind kind;
  size_t index;
  nanobind::object object;
};

/// What one capture of a function has become: guards, and what runs where they
/// all hold.
class Entry {
public:
  /// What a call has at the places, and its tensors.
  struct Call {
    std::vector<nanobind::object> values;
    std::optional<DescribedTensors> tensors;
  };

  /// Reads `guards`, text of MLIR. `places` has (kind, parent, key) for each;
  /// `origins` the place and, for a guard of identity, the object expected, of
  /// each origin; `tensors` the places of the tensors.
  Entry(const std::string &guards, nanobind::list places,
        nanobind::dict origins, const std::vector<size_t> &tensors);

  /// Runs a program with some of the tensors, by number. `general` does so
  /// where they are not read in place.
  void runProgram(nanobind::object program, int64_t function,
                  int32_t cudaDevice, const std::vector<size_t> &tensors,
                  nanobind::object general);
  /// Runs `function` of Python's with a list of what is at `places`; it gives a
  /// sequence of results.
  void runPython(nanobind::object function, const std::vector<size_t> &places);
  /// Runs `function` of Python's with the arguments of the call.
  void runInstead(nanobind::object function) { instead = std::move(function); }
  /// (kind, value) for each result, and what makes the function's of the list
  /// of them: "one", "tuple", "list" or a function. `mutations` has, for
  /// results of what is run, the place of the tensor whose new value each is.
  void setResults(nanobind::list results, nanobind::object pack,
                  const std::vector<std::pair<size_t, size_t>> &mutations);

  /// Whether all guards hold for a call, whose values are then in `call`. `why`
  /// takes the reason where one does not, unless it is null.
  bool matches(nanobind::handle arguments, nanobind::handle keywords,
               Call &call, std::string *why) const;
  nanobind::object run(nanobind::handle arguments, nanobind::handle keywords,
                       const Call &call) const;

  /// How often it has been run.
  mutable int64_t hits = 0;

  int traverse(visitproc visit, void *argument) const;

private:
  bool checkValue(const ValueCheck &check, nanobind::handle actual,
                  std::string *why) const;
  bool checkTensors(Call &call, std::string *why) const;
  std::vector<nanobind::object> compute(const Call &call) const;

  std::unique_ptr<tc_guards, decltype(&tc_guards_free)> guards;
  std::vector<PlaceOfValue> places;
  std::vector<std::string> names;              ///< of places that have one
  std::vector<std::vector<ValueCheck>> checks; ///< of each place
  std::vector<size_t> tensorPlaces;

  nanobind::object instead, program, general, python;
  std::optional<TensorFunction> function;
  std::vector<size_t> inputs; ///< numbers of tensors, or for Python places
  bool takesAllTensors = false;
  std::vector<ResultSource> results;
  nanobind::object pack;
  enum { One, Tuple, List, Function } packing = One;
  std::vector<std::pair<size_t, size_t>> mutations;
};

} // namespace tc::python

#endif // TC_PYTHON_ENTRY_H
