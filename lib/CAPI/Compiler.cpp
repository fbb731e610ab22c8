//===- Compiler.cpp - The C API of libTCCompiler --------------------------===//

#include "tc-c/Compiler.h"
#include "Handles.h"
#include "ProgramHandle.h"
#include "SessionHandle.h"
#include "TC/Conversion/AtenToTC/AtenToTC.h"
#include "TC/Pipelines/Phases.h"
#include <cstring>

using namespace tc;
using namespace tc::capi;
using runtime::ErrorCode;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

tc_error *tc_session_create(uint32_t version, tc_session **result) {
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (tc_error *error = tc_check_api_version(version))
    return error;
  *result = new tc_session();
  return nullptr;
}

void tc_session_free(tc_session *session) { delete session; }

int32_t tc_session_supports_operator(const tc_session *, const char *overload) {
  return overload && convertsAtenOverload(overload);
}

static tc_error *readOptions(const tc_compile_options *given,
                             ProgramOptions &options) {
  if (!given)
    return nullptr;
  // A caller of an older version has fewer fields.
  tc_compile_options all = {};
  if (given->size < sizeof(given->size) || given->size > sizeof(all))
    return tc_error_create(
        TC_ERROR_UNSUPPORTED,
        ("tc_compile_options has " + std::to_string(given->size) +
         " bytes, this library knows " + std::to_string(sizeof(all)))
            .c_str(),
        nullptr);
  std::memcpy(&all, given, given->size);
  auto copy = [](const char *from, std::string &to) {
    if (from && *from)
      to = from;
  };
  copy(all.target, options.compile.target);
  copy(all.libraries, options.compile.libraries);
  copy(all.schedules, options.compile.schedules);
  copy(all.device, options.device);
  copy(all.compile_to, options.compileTo);
  copy(all.directory, options.directory);
  copy(all.cache_directory, options.cacheDirectory);
  if (all.cache_limit)
    options.cacheLimit = all.cache_limit;
  llvm::Expected<Mode> mode = parseMode(all.mode ? all.mode : "");
  if (!mode)
    return toError(mode.takeError(), TC_STATUS_INVALID_ARGUMENT);
  options.compile.mode = *mode;
  options.launchBlocking = all.launch_blocking != 0;
  auto list = [](const char *const *texts, int64_t count, const char *name,
                 auto take) -> tc_error * {
    if (tc_error *error = checkList(texts, count, name))
      return error;
    for (int64_t i = 0; i < count; ++i) {
      if (tc_error *error = checkGiven(texts[i], name))
        return error;
      take(texts[i]);
    }
    return nullptr;
  };
  if (tc_error *error =
          list(all.parameters, all.parameter_count, "parameters",
               [&](const char *text) {
                 options.parameters.push_back(parseParameterFile(text));
               }))
    return error;
  if (tc_error *error = list(all.specialize, all.specialize_count, "specialize",
                             [&](const char *text) {
                               options.compile.specialize.push_back(text);
                             }))
    return error;
  return all.threads ? tc_set_thread_count(all.threads) : nullptr;
}

/// Gives the program that `make` makes with the options, on `device` where they
/// name none.
template <typename Make>
static tc_error *
makeProgram(tc_session *session, const tc_compile_options *given,
            const char *device, tc_program **result, Make make) {
  if (tc_error *error = checkGiven(session, "session"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  ProgramOptions options;
  options.device = device;
  if (tc_error *error = readOptions(given, options))
    return error;
  llvm::Expected<std::unique_ptr<Program>> program = make(options);
  if (!program)
    return toError(program.takeError(), TC_STATUS_INVALID_ARGUMENT);
  *result = new tc_program(std::move(*program));
  return nullptr;
}

static tc_error *compileSource(tc_session *session, const Source &source,
                               const tc_compile_options *given,
                               tc_program **result) {
  return makeProgram(
      session, given, "cpu", result, [&](const ProgramOptions &options) {
        return Program::create(session->session, source, options);
      });
}

tc_error *tc_compile_file(tc_session *session, const char *path,
                          const tc_compile_options *options,
                          tc_program **result) {
  if (tc_error *error = checkGiven(path, "path"))
    return error;
  return compileSource(session, {path, {}, {}}, options, result);
}

tc_error *tc_compile_buffer(tc_session *session, const char *data, size_t bytes,
                            const char *name, const tc_compile_options *options,
                            tc_program **result) {
  if (tc_error *error = checkGiven(data, "data"))
    return error;
  return compileSource(
      session, {"", llvm::StringRef(data, bytes), name ? name : "<buffer>"},
      options, result);
}

tc_error *tc_program_load(tc_session *session, const char *path,
                          const tc_compile_options *options,
                          tc_program **result) {
  if (tc_error *error = checkGiven(path, "path"))
    return error;
  // Without a device, that of the file's code.
  return makeProgram(session, options, "", result,
                     [&](const ProgramOptions &own) {
                       return Program::load(session->session, path, own);
                     });
}

tc_error *tc_program_save(const tc_program *program, const char *path,
                          const char *prepared_path, const char *const *targets,
                          int64_t target_count) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(path, "path"))
    return error;
  if (tc_error *error = checkList(targets, target_count, "targets"))
    return error;
  std::vector<std::string> names;
  for (int64_t i = 0; i < target_count; ++i) {
    if (tc_error *error = checkGiven(targets[i], "targets"))
      return error;
    names.push_back(targets[i]);
  }
  if (llvm::Error error = program->program->save(
          path, prepared_path ? prepared_path : "", names))
    return toError(std::move(error), TC_STATUS_INVALID_ARGUMENT);
  return nullptr;
}

const char *tc_program_versions(const tc_program *program) {
  return program ? program->program->versions().c_str() : "";
}

tc_error *tc_program_set_versions(tc_program *program, const char *versions) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(versions, "versions"))
    return error;
  program->program->setVersions(versions);
  return nullptr;
}

void tc_program_free(tc_program *program) { delete program; }

//===----------------------------------------------------------------------===//
// What a program holds
//===----------------------------------------------------------------------===//

int32_t tc_program_cuda_device(const tc_program *program) {
  return program ? program->program->cudaDevice() : -1;
}

int64_t tc_program_function_count(const tc_program *program) {
  return program ? int64_t(program->description.functions.size()) : 0;
}

const tc_function_info *tc_program_function(const tc_program *program,
                                            int64_t index) {
  return program ? at(program->description.functions, index) : nullptr;
}

tc_error *tc_program_find_function(const tc_program *program, const char *name,
                                   int64_t *index) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(index, "index"))
    return error;
  return capi::findFunction(program->program->manifest(), "program", name,
                            index);
}

int64_t tc_program_parameter_count(const tc_program *program) {
  return program ? int64_t(program->description.parameters.size()) : 0;
}

const tc_tensor_info *tc_program_parameter(const tc_program *program,
                                           int64_t index) {
  return program ? at(program->description.parameters, index) : nullptr;
}

int64_t tc_program_kernel_count(const tc_program *program) {
  return program ? int64_t(program->kernels.size()) : 0;
}

const tc_kernel_info *tc_program_kernel(const tc_program *program,
                                        int64_t index) {
  return program ? at(program->kernels, index) : nullptr;
}

int64_t tc_program_timing_count(const tc_program *program) {
  return program ? int64_t(program->timings.size()) : 0;
}

const tc_timing_info *tc_program_timing(const tc_program *program,
                                        int64_t index) {
  return program ? at(program->timings, index) : nullptr;
}

/// Gives text that a program makes to the caller of the C API.
static tc_error *giveText(llvm::Expected<std::string> made, char **text) {
  if (!made)
    return toError(made.takeError(), TC_STATUS_INVALID_ARGUMENT);
  *text = strdup(made->c_str());
  return nullptr;
}

tc_error *tc_program_ir(const tc_program *program, const char *phase,
                        char **text) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  return giveText(program->program->ir(phase ? phase : ""), text);
}

tc_error *tc_program_code(const tc_program *program, const char *kind,
                          char **text) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(kind, "kind"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  return giveText(program->program->code(kind), text);
}

tc_error *tc_program_report(const tc_program *program, char **text) {
  if (tc_error *error = checkGiven(program, "program"))
    return error;
  if (tc_error *error = checkGiven(text, "text"))
    return error;
  return giveText(program->program->report(), text);
}

void tc_string_free(char *text) { free(text); }

int64_t tc_phase_count(void) { return int64_t(getPhases().size()); }

const char *tc_phase_name(int64_t index) {
  return index >= 0 && index < tc_phase_count()
             ? getPhases()[size_t(index)].name().data()
             : nullptr;
}
