//===- Dispatcher.cpp - Functions with guards in Python -------------------===//

#include "Dispatcher.h"
#include "Entry.h"
#include "Errors.h"
#include <algorithm>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

namespace {
/// The entries of a function, objects of Python's, the one that was run last
/// first. The GIL guards the list; a call holds the entry that it runs.
struct Dispatcher {
  std::vector<nb::object> entries;
};
} // namespace

static const Entry &toEntry(nb::handle object) {
  return *nb::inst_ptr<Entry>(object);
}

static PyObject *callDispatcher(PyObject *self, PyObject *arguments,
                                PyObject *keywords) {
  return catchExceptions([&]() -> nb::object {
    auto &entries = nb::inst_ptr<Dispatcher>(nb::handle(self))->entries;
    Entry::Call call;
    for (size_t i = 0; i < entries.size(); ++i) {
      const nb::object entry = entries[i];
      if (!toEntry(entry).matches(arguments, keywords, call, nullptr))
        continue;
      // Guards may run code of Python's, which may change the list.
      auto found = std::find_if(entries.begin(), entries.end(),
                                [&](nb::handle one) { return one.is(entry); });
      if (found != entries.begin() && found != entries.end())
        std::rotate(entries.begin(), found, found + 1);
      return toEntry(entry).run(arguments, keywords, call);
    }
    nb::object given = keywords ? nb::borrow(keywords) : nb::object(nb::dict());
    return nb::handle(self).attr("compile_and_call")(nb::handle(arguments),
                                                     given);
  });
}

/// Why an entry does not take a call; empty where it does.
static std::string explainMiss(const Entry &entry, nb::tuple arguments,
                               nb::dict keywords) {
  Entry::Call call;
  std::string why;
  entry.matches(arguments, keywords, call, &why);
  return why;
}

static int traverseDispatcher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    for (const nb::object &entry : nb::inst_ptr<Dispatcher>(self)->entries)
      Py_VISIT(entry.ptr());
  return 0;
}

static int clearDispatcher(PyObject *self) {
  std::vector<nb::object> dropped;
  if (nb::inst_ready(self))
    std::swap(dropped, nb::inst_ptr<Dispatcher>(self)->entries);
  return 0;
}

static int traverseEntry(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? toEntry(self).traverse(visit, arg) : 0;
}

// A cycle is broken at its dispatcher.
static PyType_Slot entrySlots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(traverseEntry)}, {0, nullptr}};

static PyType_Slot dispatcherSlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(callDispatcher)},
    {Py_tp_traverse, reinterpret_cast<void *>(traverseDispatcher)},
    {Py_tp_clear, reinterpret_cast<void *>(clearDispatcher)},
    {0, nullptr}};

void tc::python::addDispatcher(nb::module_ &module) {
  nb::class_<Entry>(module, "Entry", nb::type_slots(entrySlots))
      .def(nb::init<const std::string &, nb::list, nb::dict,
                    const std::vector<size_t> &>(),
           "guards"_a, "places"_a, "origins"_a, "tensors"_a)
      .def("run_program", &Entry::runProgram, "program"_a, "function"_a,
           "cuda_device"_a, "tensors"_a, "general"_a)
      .def("run_python", &Entry::runPython, "function"_a, "places"_a)
      .def("run_instead", &Entry::runInstead, "function"_a)
      .def("set_results", &Entry::setResults, "results"_a, "pack"_a,
           "mutations"_a)
      .def("explain_miss", explainMiss, "arguments"_a, "keywords"_a)
      .def_prop_ro("hits", [](const Entry &entry) { return entry.hits; });
  nb::class_<Dispatcher>(module, "Dispatcher", nb::type_slots(dispatcherSlots))
      .def(nb::init<>())
      .def("add_entry",
           [](Dispatcher &self, nb::object entry) {
             (void)nb::cast<const Entry &>(entry); // of the right type
             self.entries.insert(self.entries.begin(), std::move(entry));
           })
      .def("clear_entries", [](Dispatcher &self) {
        std::vector<nb::object> dropped;
        std::swap(dropped, self.entries);
      });
}
