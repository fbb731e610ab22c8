//===- BoxedCalls.cpp - Graphs of one program, as PyTorch calls them ------===//
//
// PyTorch's boxed convention gives a graph its inputs in a list, which the call
// empties, and takes its results in a tuple. A graph that is one program is
// called without a function of Python's: where the inputs of the program and
// the results of the graph come from is known beforehand.
//
//===----------------------------------------------------------------------===//

#include "BoxedCalls.h"
#include "Errors.h"
#include "TensorCalls.h"
#include <map>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

namespace {
/// Where an input of the program, or a result of the graph, comes from.
struct Source {
  enum Kind {
    Constant, ///< `object`
    Input,    ///< number `index` of the graph
    Result,   ///< number `index` of the program
    View,     ///< of a result of the program, which is in nobody else's hands
    Alias,    ///< of a result of the program, as the library's method makes it
    Function, ///< of Python's, `object`, called with `arguments`
    Packed,   ///< the memory that results of the program have in common, or
              ///< `object` called with these, `arguments`
    Unpacked, ///< `view` in the tensor of bytes that is input number `index` of
              ///< the graph, or `object` called with that
  };
  Kind kind;
  size_t index = 0;
  nb::object object; ///< for View and Alias the arguments of as_strided
  MemoryView view;
  std::vector<Source> arguments;

  /// Whether it is a result of the program or in the memory of one.
  bool isOfResult() const {
    return kind == Result || kind == View || kind == Alias;
  }
};

/// A function of Python's that gets two lists when there are all results:
/// inputs of the graph that the program has not written itself, and what is to
/// be written to them.
struct Write {
  nb::object function;
  std::vector<Source> targets, values;
};

struct BoxedCallable {
  nb::object callable;
  std::vector<Source> inputs, results;
  std::vector<Write> writes;
  JointResults joint; ///< those with memory in common
  /// Results that nothing is done with but to be written to an input, which
  /// the program may do.
  std::vector<tc_output_memory> targets;
};

/// What a call has: the inputs of the graph, then the results of the program.
class GraphCall {
public:
  /// Takes the inputs out of `list`.
  explicit GraphCall(PyObject *list) {
    inputs.reserve(size_t(PyList_Size(list)));
    for (Py_ssize_t i = 0, e = PyList_Size(list); i < e; ++i)
      inputs.push_back(nb::borrow(PyList_GetItem(list, i)));
    if (PyList_SetSlice(list, 0, PyList_Size(list), nullptr) != 0)
      throw nb::python_error();
  }

  /// Whether the program has written a value where it is to be written to.
  bool isWritten(const Source &target, const Source &value) const;
  nb::object get(const Source &source);
  std::vector<nb::object> getAll(const std::vector<Source> &sources);
  /// Runs the program of `graph`.
  void run(const BoxedCallable &graph);

private:
  bool describe(const std::vector<Source> &sources,
                const std::vector<nb::object> &held, Place place,
                DescribedTensors &described);
  nb::object getInput(size_t index) const;
  nb::object getResult(size_t index);
  nb::object getView(const Source &source);

  std::vector<nb::object> inputs;
  std::vector<void *> addresses; // of those that have been described
  std::vector<Array> arrays;     // of the results, unless objects came at once
  const ExchangeAPI *library = nullptr;
  JointMemory joint{nullptr, {}, {}};
  std::vector<nb::object> results; // those that have been given
};
} // namespace

nb::object GraphCall::getInput(size_t index) const {
  if (index >= inputs.size())
    throw nb::type_error(("the call has " + std::to_string(inputs.size()) +
                          " inputs, expected at least " +
                          std::to_string(index + 1))
                             .c_str());
  return inputs[index];
}

nb::object GraphCall::getResult(size_t index) {
  nb::object &result = results.at(index);
  if (!result.is_valid())
    result = giveOutput(arrays[index], *library);
  return result;
}

nb::object GraphCall::getView(const Source &source) {
  if (source.kind == Source::Alias || arrays.empty())
    return getResult(source.index).attr("as_strided")(*source.object);
  tc_array *view = nullptr;
  check(tc_array_view(arrays.at(source.index).get(),
                      int32_t(source.view.sizes.size()),
                      source.view.sizes.data(), source.view.strides.data(),
                      source.view.offset, &view));
  return giveOutput(Array(view), *library);
}

nb::object GraphCall::get(const Source &source) {
  switch (source.kind) {
  case Source::Constant:
    return source.object;
  case Source::Input:
    return getInput(source.index);
  case Source::Result:
    return getResult(source.index);
  case Source::View:
  case Source::Alias:
    return getView(source);
  case Source::Unpacked:
    return source.object(getInput(source.index));
  case Source::Packed:
    if (joint.holdsAll(arrays))
      return giveOutput(*joint.all, *library);
    break;
  case Source::Function:
    break;
  }
  return source.object(*makeTuple(getAll(source.arguments)));
}

std::vector<nb::object> GraphCall::getAll(const std::vector<Source> &sources) {
  std::vector<nb::object> objects;
  objects.reserve(sources.size());
  for (const Source &source : sources)
    objects.push_back(get(source));
  return objects;
}

bool GraphCall::describe(const std::vector<Source> &sources,
                         const std::vector<nb::object> &held, Place place,
                         DescribedTensors &described) {
  addresses.assign(inputs.size(), nullptr);
  for (size_t i = 0; i < sources.size(); ++i) {
    const Source &source = sources[i];
    PyObject *tensor = held[i].ptr();
    if (!(source.kind == Source::Unpacked
              ? described.addPart(tensor, source.view)
              : described.add(tensor)) ||
        !described.isLastAt(place))
      return false;
    if (source.kind == Source::Input)
      addresses[source.index] = described.get().back().data;
  }
  return described.library() != nullptr;
}

void GraphCall::run(const BoxedCallable &graph) {
  const std::vector<Source> &sources = graph.inputs;
  const JointResults &layout = graph.joint;
  const Callable &callable = *nb::inst_ptr<Callable>(graph.callable);
  std::vector<nb::object> held;
  held.reserve(sources.size());
  for (const Source &source : sources)
    held.push_back(source.kind == Source::Unpacked ? getInput(source.index)
                                                   : get(source));
  DescribedTensors described(sources.size());
  if (callable.takesTensors &&
      describe(sources, held, callable.function.place, described)) {
    library = described.library();
    joint.layout = &layout;
    if (auto computed = callable.function.callForArrays(
            described.get(), *library,
            layout.numbers.empty() ? nullptr : &joint, graph.targets)) {
      arrays = std::move(*computed);
      results.resize(arrays.size());
      return;
    }
  }
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i].kind == Source::Unpacked)
      held[i] = sources[i].object(held[i]);
  nb::object result =
      graph.callable.attr("call_general")(*makeTuple(std::move(held)));
  if (PyTuple_Check(result.ptr()))
    for (PyObject *item : itemsOf(result))
      results.push_back(nb::borrow(item));
  else if (!result.is_none())
    results.push_back(std::move(result));
}

bool GraphCall::isWritten(const Source &target, const Source &value) const {
  if (arrays.empty() || target.kind != Source::Input ||
      value.kind != Source::Result)
    return false;
  const tc_array *array = arrays[value.index].get();
  return !array ||
         (target.index < addresses.size() && addresses[target.index] &&
          tc_array_descriptor(array).data == addresses[target.index]);
}

/// Has Python's function write what the program has not.
static void runWrite(const Write &write, GraphCall &call) {
  nb::list targets, values;
  for (size_t i = 0; i < write.targets.size(); ++i) {
    if (call.isWritten(write.targets[i], write.values[i]))
      continue;
    targets.append(call.get(write.targets[i]));
    values.append(call.get(write.values[i]));
  }
  if (nb::len(targets) != 0)
    write.function(targets, values);
}

static PyObject *callBoxed(PyObject *self, PyObject *args, PyObject *) {
  return catchExceptions([&]() -> nb::object {
    const auto &graph = *nb::inst_ptr<BoxedCallable>(nb::handle(self));
    PyObject *list = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : args;
    if (!PyList_Check(list))
      throw nb::type_error("a boxed function takes one list of inputs");
    GraphCall call(list);
    call.run(graph);
    std::vector<nb::object> results = call.getAll(graph.results);
    for (const Write &write : graph.writes)
      runWrite(write, call);
    return makeTuple(std::move(results));
  });
}

//===----------------------------------------------------------------------===//
// Making a callable
//===----------------------------------------------------------------------===//

static Source::Kind kindOf(const std::string &name) {
  static constexpr const char *names[] = {"constant", "input",   "result",
                                          "view",     "alias",   "function",
                                          "packed",   "unpacked"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return Source::Kind(i);
  throw nb::value_error(("there is no kind of source '" + name + "'").c_str());
}

/// Reads sizes, strides and offset, from place 2 of a source on.
static MemoryView readView(nb::handle given) {
  MemoryView view{nb::cast<std::vector<int64_t>>(given[2]),
                  nb::cast<std::vector<int64_t>>(given[3]),
                  nb::cast<int64_t>(given[4])};
  if (view.sizes.size() != view.strides.size())
    throw nb::value_error("a view has another number of strides than sizes");
  return view;
}

/// The element type of a tensor of Python's.
static int32_t dtypeOf(nb::handle tensor) {
  DescribedTensors described(1);
  if (!described.add(tensor.ptr()))
    throw nb::type_error("the memory of a tensor cannot be described");
  return described.get()[0].dtype;
}

/// Reads numbers of results, their offsets and sizes, and the size of all.
static JointResults readJoint(nb::tuple given, size_t resultCount) {
  JointResults joint{nb::cast<std::vector<int64_t>>(given[0]),
                     nb::cast<std::vector<int64_t>>(given[1]),
                     nb::cast<std::vector<int64_t>>(given[2]),
                     nb::cast<int64_t>(given[3])};
  if (joint.numbers.size() != joint.offsets.size() ||
      joint.numbers.size() != joint.sizes.size())
    throw nb::value_error("results with memory in common have another number "
                          "of offsets or sizes");
  for (int64_t number : joint.numbers)
    if (number < 0 || size_t(number) >= resultCount)
      throw nb::value_error(("there is no result " + std::to_string(number) +
                             " of the program, which has " +
                             std::to_string(resultCount))
                                .c_str());
  return joint;
}

/// Reads (kind, value, ...): a constant's object; a number of an input or a
/// result, of a view with its sizes, strides and offset; a function and the
/// list of its arguments; a function that packs results, and a list of these;
/// or the number of a packed input, sizes, strides and offset in bytes, an
/// example of the type, the size of all, and a function that unpacks.
static Source readSource(nb::handle given) {
  Source source{kindOf(nb::cast<std::string>(given[0]))};
  switch (source.kind) {
  case Source::Constant:
    source.object = nb::borrow(given[1]);
    break;
  case Source::Function:
  case Source::Packed:
    source.object = nb::borrow(given[1]);
    for (nb::handle argument : given[2])
      source.arguments.push_back(readSource(argument));
    break;
  case Source::Input:
  case Source::Result:
    source.index = nb::cast<size_t>(given[1]);
    break;
  case Source::View:
  case Source::Alias:
    source.index = nb::cast<size_t>(given[1]);
    source.view = readView(given);
    source.object = nb::make_tuple(given[2], given[3], given[4]);
    break;
  case Source::Unpacked:
    source.index = nb::cast<size_t>(given[1]);
    source.view = readView(given);
    source.view.dtype = dtypeOf(given[5]);
    source.view.bytes = nb::cast<int64_t>(given[6]);
    source.object = nb::borrow(given[7]);
    break;
  }
  return source;
}

/// Whether a source, or one that it is computed of, is a result of the program
/// that there is not.
static bool isOutside(const Source &source, size_t resultCount) {
  if (source.isOfResult() && source.index >= resultCount)
    return true;
  for (const Source &argument : source.arguments)
    if (isOutside(argument, resultCount))
      return true;
  return false;
}

static std::vector<Source> readSources(nb::list given, size_t resultCount) {
  std::vector<Source> sources;
  for (nb::handle one : given) {
    sources.push_back(readSource(one));
    if (isOutside(sources.back(), resultCount))
      throw nb::value_error(("a source is a result that the program has not: "
                             "there are " +
                             std::to_string(resultCount))
                                .c_str());
  }
  return sources;
}

/// Counts how often each of the program's results is used by sources.
static void countUses(const std::vector<Source> &sources,
                      std::vector<size_t> &uses) {
  for (const Source &source : sources) {
    if (source.isOfResult())
      ++uses[source.index];
    countUses(source.arguments, uses);
  }
}

/// The results that only one write uses, with the input of the program that it
/// is to.
static std::vector<tc_output_memory> findTargets(const BoxedCallable &graph,
                                                 size_t resultCount) {
  std::vector<size_t> uses(resultCount);
  countUses(graph.results, uses);
  for (const Write &write : graph.writes)
    countUses(write.values, uses);
  for (int64_t number : graph.joint.numbers)
    ++uses[size_t(number)];
  std::map<size_t, int64_t> places; // inputs of the program, of the graph's
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i].kind == Source::Input)
      places.emplace(graph.inputs[i].index, int64_t(i));
  std::vector<tc_output_memory> targets;
  for (const Write &write : graph.writes)
    for (size_t i = 0; i < write.targets.size(); ++i) {
      const Source &target = write.targets[i], &value = write.values[i];
      auto place = target.kind == Source::Input ? places.find(target.index)
                                                : places.end();
      if (place != places.end() && value.kind == Source::Result &&
          uses[value.index] == 1)
        targets.push_back({int64_t(value.index), nullptr, place->second});
    }
  return targets;
}

static void initializeBoxed(BoxedCallable *self, nb::object callable,
                            nb::list inputs, nb::list results, nb::list writes,
                            nb::object joint) {
  const size_t count =
      nb::cast<const Callable &>(callable).function.outputCount;
  std::vector<Write> calls;
  for (nb::handle write : writes) {
    calls.push_back({nb::borrow(write[0]),
                     readSources(nb::borrow<nb::list>(write[1]), count),
                     readSources(nb::borrow<nb::list>(write[2]), count)});
    if (calls.back().targets.size() != calls.back().values.size())
      throw nb::value_error(
          "a write has another number of values than targets");
  }
  new (self) BoxedCallable{std::move(callable),
                           readSources(inputs, /*resultCount=*/0),
                           readSources(results, count),
                           std::move(calls),
                           joint.is_none()
                               ? JointResults()
                               : readJoint(nb::cast<nb::tuple>(joint), count),
                           {}};
  self->targets = findTargets(*self, count);
}

static PyType_Slot boxedSlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(callBoxed)}, {0, nullptr}};

void tc::python::addBoxedCalls(nb::module_ &module) {
  nb::class_<BoxedCallable>(module, "BoxedCallable", nb::type_slots(boxedSlots))
      .def("__init__", initializeBoxed, "callable"_a, "inputs"_a, "results"_a,
           "writes"_a = nb::list(), "joint"_a = nb::none());
}
