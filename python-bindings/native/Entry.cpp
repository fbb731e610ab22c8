//===- Entry.cpp - A capture of a function, and its guards ----------------===//

#include "Entry.h"
#include "Errors.h"
#include <cstring>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <numeric>

namespace nb = nanobind;
using namespace tc::python;

//===----------------------------------------------------------------------===//
// Making an entry
//===----------------------------------------------------------------------===//

static tc_guards *readGuards(const std::string &text) {
  tc_guards *guards = nullptr;
  tc_error *error;
  {
    nb::gil_scoped_release release;
    error = tc_guards_create(getSession(), text.data(), text.size(), &guards);
  }
  check(error);
  return guards;
}

static PlaceOfValue::Kind kindOf(const std::string &name) {
  static constexpr const char *names[] = {"arguments", "keywords", "object",
                                          "attribute", "item",     "type",
                                          "length",    "keys",     "result"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return PlaceOfValue::Kind(i);
  throw nb::value_error(("there is no kind of place '" + name + "'").c_str());
}

Entry::Entry(const std::string &text, nb::list given, nb::dict origins,
             const std::vector<size_t> &tensors)
    : guards(readGuards(text), tc_guards_free), checks(given.size()),
      tensorPlaces(tensors) {
  for (nb::handle place : given)
    places.push_back({kindOf(nb::cast<std::string>(place[0])),
                      nb::cast<size_t>(place[1]), nb::borrow(place[2])});
  names.resize(places.size());
  nb::object read = nb::module_::import_("json").attr("loads");
  for (auto [name, entry] : origins)
    names[nb::cast<size_t>(entry[0])] = nb::cast<std::string>(name);
  for (int64_t i = 0, e = tc_guards_value_count(guards.get()); i < e; ++i) {
    const tc_value_guard *guard = tc_guards_value(guards.get(), i);
    if (!origins.contains(guard->origin))
      throw nb::value_error((std::string("no place is given for the origin '") +
                             guard->origin + "' of a guard")
                                .c_str());
    nb::object entry = origins[guard->origin];
    auto place = nb::cast<size_t>(entry[0]);
    checks[place].push_back(
        {place, guard->is_identity != 0,
         guard->is_identity ? nb::borrow(entry[1]) : read(guard->value),
         guard});
  }
  if (int64_t(tensors.size()) != tc_guards_tensor_count(guards.get()))
    throw nb::value_error("the guards have another number of tensors than the "
                          "entry");
}

void Entry::runProgram(nb::object given, int64_t number, int32_t cudaDevice,
                       const std::vector<size_t> &tensors,
                       nb::object generally) {
  program = std::move(given);
  function.emplace(nb::cast<const Program &>(program), number, cudaDevice);
  inputs = tensors;
  general = std::move(generally);
  takesAllTensors = inputs.size() == tensorPlaces.size();
  for (size_t i = 0; i < inputs.size(); ++i)
    takesAllTensors &= inputs[i] == i;
}

void Entry::runPython(nb::object given, const std::vector<size_t> &from) {
  python = std::move(given);
  inputs = from;
}

void Entry::setResults(nb::list sources, nb::object packs,
                       const std::vector<std::pair<size_t, size_t>> &writes) {
  for (nb::handle source : sources) {
    auto kind = nb::cast<std::string>(source[0]);
    if (kind == "constant")
      results.push_back({ResultSource::Constant, 0, nb::borrow(source[1])});
    else
      results.push_back(
          {kind == "given" ? ResultSource::Given : ResultSource::Computed,
           nb::cast<size_t>(source[1]), nb::object()});
  }
  pack = std::move(packs);
  packing = Function;
  if (std::string name; nb::try_cast(pack, name))
    packing = name == "one" ? One : name == "tuple" ? Tuple : List;
  mutations = writes;
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// An empty list that nobody writes to; calls without keywords make none.
static nb::object emptyList() {
  static PyObject *list = PyList_New(0);
  return nb::borrow(list);
}

/// The same as a dict.
static nb::object emptyDict() {
  static PyObject *dict = PyDict_New();
  return nb::borrow(dict);
}

/// What is at a place; no object where there is nothing.
static nb::object getAt(const PlaceOfValue &place, nb::handle arguments,
                        nb::handle keywords,
                        const std::vector<nb::object> &values) {
  PyObject *parent = values.empty() || place.parent >= values.size()
                         ? nullptr
                         : values[place.parent].ptr();
  PyObject *key = place.key.ptr();
  switch (place.kind) {
  case PlaceOfValue::Arguments:
    return nb::borrow(arguments);
  case PlaceOfValue::Keywords:
    return keywords.is_valid() ? nb::borrow(keywords) : emptyDict();
  case PlaceOfValue::Object:
    return nb::borrow(key);
  case PlaceOfValue::Attribute:
    return nb::steal(PyObject_GetAttr(parent, key));
  case PlaceOfValue::Item:
    return nb::steal(PyObject_GetItem(parent, key));
  case PlaceOfValue::Type:
    return nb::borrow(reinterpret_cast<PyObject *>(Py_TYPE(parent)));
  case PlaceOfValue::Length: {
    Py_ssize_t length = PyObject_Size(parent);
    return length < 0 ? nb::object() : nb::steal(PyLong_FromSsize_t(length));
  }
  case PlaceOfValue::Keys:
    return PyDict_Check(parent) && PyDict_Size(parent) == 0
               ? emptyList()
               : nb::steal(PySequence_List(parent));
  case PlaceOfValue::Result:
    return nb::steal(PyObject_CallNoArgs(parent));
  }
  return nb::object();
}

/// Whether two numbers, texts or lists of such are of one type and equal. NaN
/// is equal to itself, and 0 not to -0.
static bool areSame(PyObject *one, PyObject *other) {
  if (one == other)
    return true;
  if (PyList_Check(one) && (PyList_Check(other) || PyTuple_Check(other))) {
    if (PySequence_Size(one) != PySequence_Size(other))
      return false;
    for (Py_ssize_t i = 0, e = PyList_Size(one); i < e; ++i) {
      nb::object item = nb::steal(PySequence_GetItem(other, i));
      if (!item.is_valid() || !areSame(PyList_GetItem(one, i), item.ptr()))
        return false;
    }
    return true;
  }
  if (Py_TYPE(one) != Py_TYPE(other))
    return false;
  if (PyFloat_Check(one)) {
    double a = PyFloat_AsDouble(one), b = PyFloat_AsDouble(other);
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
  return PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

/// A value as a message has it.
static std::string describe(nb::handle value) {
  std::string text = nb::cast<std::string>(nb::repr(value));
  return text.size() > 120 ? text.substr(0, 120) + "..." : text;
}

bool Entry::checkValue(const ValueCheck &check, nb::handle actual,
                       std::string *why) const {
  const bool holds = check.isIdentity
                         ? actual.is(check.expected)
                         : areSame(check.expected.ptr(), actual.ptr());
  if (PyErr_Occurred())
    PyErr_Clear();
  if (holds || !why)
    return holds;
  if (check.isIdentity && !PyType_Check(actual.ptr()))
    *why = std::string(check.guard->origin) + " is another object";
  else
    *why = std::string(check.guard->origin) + " is " + describe(actual) +
           ", expected " +
           (check.isIdentity ? describe(check.expected)
                             : describe(check.expected));
  return false;
}

bool Entry::checkTensors(Call &call, std::string *why) const {
  call.tensors.emplace(tensorPlaces.size());
  for (size_t place : tensorPlaces)
    if (!call.tensors->add(call.values[place].ptr())) {
      if (why)
        *why = names[place] + " is no plain tensor: its memory cannot be "
                              "described, or stands for other numbers";
      return false;
    }
  const tc_tensor *tensors = call.tensors->get().data();
  const int64_t miss = tc_guards_check(guards.get(), tensors);
  if (miss < 0 || !why)
    return miss < 0;
  char *text = nullptr;
  check(tc_guards_describe_miss(guards.get(), tensors, miss, &text));
  *why = text;
  tc_string_free(text);
  return false;
}

bool Entry::matches(nb::handle arguments, nb::handle keywords, Call &call,
                    std::string *why) const {
  call.values.clear();
  call.values.reserve(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    nb::object value = getAt(places[i], arguments, keywords, call.values);
    if (!value.is_valid()) {
      PyErr_Clear();
      if (why)
        *why = "there is no " +
               (names[i].empty() ? "value for a guard" : names[i]);
      return false;
    }
    call.values.push_back(std::move(value));
    for (const ValueCheck &one : checks[i])
      if (!checkValue(one, call.values.back(), why))
        return false;
  }
  return checkTensors(call, why);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static std::vector<nb::object> toVector(nb::handle sequence) {
  std::vector<nb::object> items;
  for (nb::handle item : sequence)
    items.push_back(nb::borrow(item));
  return items;
}

std::vector<nb::object> Entry::compute(const Call &call) const {
  if (python.is_valid()) {
    nb::list given;
    for (size_t place : inputs)
      given.append(call.values[place]);
    return toVector(python(given));
  }
  if (!function)
    return {};
  std::vector<PyObject *> objects;
  std::vector<tc_tensor> chosen;
  std::span<const tc_tensor> descriptions = call.tensors->get();
  for (size_t number : inputs) {
    objects.push_back(call.values[tensorPlaces[number]].ptr());
    if (!takesAllTensors)
      chosen.push_back(descriptions[number]);
  }
  if (!takesAllTensors)
    descriptions = chosen;
  if (const ExchangeAPI *library = call.tensors->library())
    if (auto computed = function->call(descriptions, *library))
      return std::move(*computed);
  std::vector<nb::object> given;
  for (PyObject *object : objects)
    given.push_back(nb::borrow(object));
  nb::object result = general(*makeTuple(std::move(given)));
  if (function->outputCount == 1)
    return {result};
  return result.is_none() ? std::vector<nb::object>() : toVector(result);
}

/// Whether a value has the elements of a tensor as its own.
static bool isComputedIn(const nb::object &tensor, const nb::object &value) {
  return tensor.attr("data_ptr")().equal(value.attr("data_ptr")()) &&
         tensor.attr("stride")().equal(value.attr("stride")());
}

nb::object Entry::run(nb::handle arguments, nb::handle keywords,
                      const Call &call) const {
  ++hits;
  if (instead.is_valid())
    return nb::steal(
        PyObject_Call(instead.ptr(), arguments.ptr(), keywords.ptr()));
  std::vector<nb::object> computed = compute(call);
  for (auto [result, place] : mutations)
    // A copy to itself copies nothing, but tells autograd of the write.
    call.values[place].attr("copy_")(
        isComputedIn(call.values[place], computed[result]) ? call.values[place]
                                                           : computed[result]);
  std::vector<nb::object> all;
  all.reserve(results.size());
  for (const ResultSource &source : results)
    all.push_back(source.kind == ResultSource::Computed ? computed[source.index]
                  : source.kind == ResultSource::Given
                      ? call.values[source.index]
                      : source.object);
  if (packing == One)
    return std::move(all[0]);
  nb::object tuple = makeTuple(std::move(all));
  if (packing == Tuple)
    return tuple;
  nb::object list = nb::steal(PySequence_List(tuple.ptr()));
  return packing == List ? list : pack(list);
}

int Entry::traverse(visitproc visit, void *arg) const {
  for (const PlaceOfValue &place : places)
    Py_VISIT(place.key.ptr());
  for (const auto &list : checks)
    for (const ValueCheck &one : list)
      Py_VISIT(one.expected.ptr());
  for (const ResultSource &source : results)
    Py_VISIT(source.object.ptr());
  for (const nb::object *object :
       {&instead, &program, &general, &python, &pack})
    Py_VISIT(object->ptr());
  return 0;
}
