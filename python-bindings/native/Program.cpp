//===- Program.cpp - Compiled programs in Python --------------------------===//

#include "Program.h"
#include "Errors.h"
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

tc_session *tc::python::getSession() {
  static tc_session *session = nullptr;
  if (!session)
    check(tc_session_create(TC_C_API_VERSION, &session));
  return session;
}

static std::vector<const char *>
getTexts(const std::vector<std::string> &strings) {
  std::vector<const char *> texts;
  for (const std::string &text : strings)
    texts.push_back(text.c_str());
  return texts;
}

/// Compiles the file `path`, or `buffer` where it is given. The GIL is not held
/// meanwhile.
static Program compile(const std::string &path, nb::object buffer,
                       const std::string &target, const std::string &device,
                       const std::string &schedules,
                       const std::string &compileTo,
                       const std::vector<std::string> &parameters,
                       const std::string &directory, uint32_t threads,
                       const std::vector<std::string> &specialize,
                       const std::string &mode, const std::string &libraries,
                       bool launchBlocking, const std::string &cacheDirectory,
                       uint64_t cacheLimit) {
  std::vector<const char *> files = getTexts(parameters),
                            versions = getTexts(specialize);
  tc_compile_options options = {};
  options.size = sizeof(options);
  options.target = target.c_str();
  options.device = device.c_str();
  options.schedules = schedules.c_str();
  options.compile_to = compileTo.c_str();
  options.parameters = files.data();
  options.parameter_count = int64_t(files.size());
  options.directory = directory.c_str();
  options.threads = threads;
  options.specialize = versions.data();
  options.specialize_count = int64_t(versions.size());
  options.mode = mode.c_str();
  options.libraries = libraries.c_str();
  options.launch_blocking = launchBlocking;
  options.cache_directory = cacheDirectory.c_str();
  options.cache_limit = cacheLimit;
  tc_session *session = getSession();
  tc_program *program = nullptr;
  tc_error *error = nullptr;
  if (buffer.is_none()) {
    nb::gil_scoped_release release;
    error = tc_compile_file(session, path.c_str(), &options, &program);
  } else {
    auto bytes = nb::cast<nb::bytes>(buffer);
    nb::gil_scoped_release release;
    error = tc_compile_buffer(session, bytes.c_str(), bytes.size(), "<program>",
                              &options, &program);
  }
  check(error);
  return Program(program);
}

/// Loads an artefact. The GIL is not held meanwhile.
static Program load(const std::string &path, const std::string &device,
                    const std::vector<std::string> &parameters,
                    const std::string &directory, uint32_t threads,
                    const std::string &mode, bool launchBlocking) {
  std::vector<const char *> files = getTexts(parameters);
  tc_compile_options options = {};
  options.size = sizeof(options);
  options.device = device.c_str();
  options.parameters = files.data();
  options.parameter_count = int64_t(files.size());
  options.directory = directory.c_str();
  options.threads = threads;
  options.mode = mode.c_str();
  options.launch_blocking = launchBlocking;
  tc_session *session = getSession();
  tc_program *program = nullptr;
  tc_error *error = nullptr;
  {
    nb::gil_scoped_release release;
    error = tc_program_load(session, path.c_str(), &options, &program);
  }
  check(error);
  return Program(program);
}

/// Writes an artefact. The GIL is not held meanwhile.
static void save(const Program &program, const std::string &path,
                 const std::string &preparedPath,
                 const std::vector<std::string> &targets) {
  std::vector<const char *> names = getTexts(targets);
  tc_error *error = nullptr;
  {
    nb::gil_scoped_release release;
    error =
        tc_program_save(program.get(), path.c_str(),
                        preparedPath.empty() ? nullptr : preparedPath.c_str(),
                        names.data(), int64_t(names.size()));
  }
  check(error);
}

//===----------------------------------------------------------------------===//
// Descriptions, as tuples: tc/description.py has the classes
//===----------------------------------------------------------------------===//

/// (name, dtype, sizes, mutates, strides): a size is a number, or an expression
/// as text; strides are texts, or None.
static nb::tuple describeTensor(const tc_tensor_info &info) {
  nb::list sizes;
  for (int32_t i = 0; i < info.rank; ++i) {
    if (info.sizes[i] >= 0)
      sizes.append(info.sizes[i]);
    else
      sizes.append(info.size_texts[i]);
  }
  nb::object strides = nb::none();
  if (info.stride_texts) {
    nb::list texts;
    for (int32_t i = 0; i < info.rank; ++i)
      texts.append(info.stride_texts[i]);
    strides = nb::tuple(texts);
  }
  return nb::make_tuple(info.name, info.dtype, nb::tuple(sizes), info.mutates,
                        strides);
}

static nb::list describeTensors(const tc_tensor_info *infos, int64_t count) {
  nb::list tensors;
  for (int64_t i = 0; i < count; ++i)
    tensors.append(describeTensor(infos[i]));
  return tensors;
}

/// (name, signature, inputs, outputs, symbols) of each function.
static nb::list describeFunctions(const Program &program) {
  nb::list functions;
  for (int64_t i = 0, e = tc_program_function_count(program.get()); i < e;
       ++i) {
    const tc_function_info &info = *tc_program_function(program.get(), i);
    nb::list symbols;
    for (int64_t at = 0; at < info.symbol_count; ++at) {
      const tc_symbol_info &symbol = info.symbols[at];
      symbols.append(nb::make_tuple(symbol.name, symbol.minimum, symbol.maximum,
                                    symbol.divisor));
    }
    functions.append(nb::make_tuple(
        info.name, info.signature,
        describeTensors(info.inputs, info.input_count),
        describeTensors(info.outputs, info.output_count), symbols));
  }
  return functions;
}

static nb::list describeParameters(const Program &program) {
  nb::list parameters;
  for (int64_t i = 0, e = tc_program_parameter_count(program.get()); i < e; ++i)
    parameters.append(describeTensor(*tc_program_parameter(program.get(), i)));
  return parameters;
}

static nb::list describeKernels(const Program &program) {
  nb::list kernels;
  for (int64_t i = 0, e = tc_program_kernel_count(program.get()); i < e; ++i) {
    const tc_kernel_info &info = *tc_program_kernel(program.get(), i);
    kernels.append(nb::make_tuple(info.function, info.name, info.kernel_class,
                                  info.schedule));
  }
  return kernels;
}

static nb::dict describeTimings(const Program &program) {
  nb::dict timings;
  for (int64_t i = 0, e = tc_program_timing_count(program.get()); i < e; ++i) {
    const tc_timing_info &info = *tc_program_timing(program.get(), i);
    timings[info.name] = info.seconds;
  }
  return timings;
}

/// The text that a function of the C API makes, without the GIL held meanwhile.
template <typename Make> static std::string getText(Make make) {
  char *text = nullptr;
  tc_error *error;
  {
    nb::gil_scoped_release release;
    error = make(&text);
  }
  check(error);
  std::unique_ptr<char, decltype(&tc_string_free)> owned(text, tc_string_free);
  return text;
}

static std::string getIR(const Program &program,
                         std::optional<std::string> phase) {
  return getText([&](char **text) {
    return tc_program_ir(program.get(), phase ? phase->c_str() : nullptr, text);
  });
}

static std::string getCode(const Program &program, const std::string &kind) {
  return getText([&](char **text) {
    return tc_program_code(program.get(), kind.c_str(), text);
  });
}

static std::string getReport(const Program &program) {
  return getText(
      [&](char **text) { return tc_program_report(program.get(), text); });
}

static int64_t findFunction(const Program &program, const std::string &name) {
  int64_t index = 0;
  check(tc_program_find_function(program.get(), name.c_str(), &index));
  return index;
}

static nb::tuple getPhases() {
  nb::list names;
  for (int64_t i = 0, e = tc_phase_count(); i < e; ++i)
    names.append(tc_phase_name(i));
  return nb::tuple(names);
}

void tc::python::addPrograms(nb::module_ &module) {
  module.def("compile", compile, "path"_a, "buffer"_a.none(), "target"_a,
             "device"_a, "schedules"_a, "compile_to"_a, "parameters"_a,
             "directory"_a, "threads"_a, "specialize"_a, "mode"_a,
             "libraries"_a, "launch_blocking"_a, "cache_directory"_a,
             "cache_limit"_a);
  module.def("load", load, "path"_a, "device"_a, "parameters"_a, "directory"_a,
             "threads"_a, "mode"_a, "launch_blocking"_a);
  module.def("phases", getPhases);
  module.def("supports_operator", [](const char *overload) {
    return tc_session_supports_operator(getSession(), overload) != 0;
  });
  nb::class_<Program> programs(module, "Program");
  programs.def("functions", describeFunctions)
      .def("parameters", describeParameters)
      .def("kernels", describeKernels)
      .def("timings", describeTimings)
      .def("ir", getIR, "phase"_a.none())
      .def("code", getCode, "kind"_a)
      .def("report", getReport)
      .def("save", save, "path"_a, "prepared_path"_a, "targets"_a)
      .def("versions",
           [](const Program &program) {
             return std::string(tc_program_versions(program.get()));
           })
      .def(
          "set_versions",
          [](const Program &program, const std::string &versions) {
            check(tc_program_set_versions(program.get(), versions.c_str()));
          },
          "versions"_a)
      .def("cuda_device",
           [](const Program &program) {
             return tc_program_cuda_device(program.get());
           })
      .def("find_function", findFunction, "name"_a);
  addCalls(module, programs);
}
