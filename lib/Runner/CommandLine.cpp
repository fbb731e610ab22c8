//===- CommandLine.cpp - tc-run's options ---------------------------------===//

#include "llvm/Support/CommandLine.h"
#include "TC/Runner/Runner.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace tc::runner;
namespace cl = llvm::cl;

namespace {
/// An option that is a field of RunOptions.
template <typename T> using Field = cl::opt<T, /*ExternalStorage=*/true>;
using List = cl::list<std::string, std::vector<std::string>>;

/// Declares the options; they exist while the command line is read.
struct CommandLine {
  explicit CommandLine(RunOptions &o) : o(o) {}
  RunOptions &o;
  cl::OptionCategory category{"tc-run options"};
  using desc = cl::desc;
  using value = cl::value_desc;

  Field<std::string> file{cl::Positional, cl::location(o.file),
                          desc("<MLIR text or bytecode, .pt2, or an artefact "
                               "in .tca; - for standard input>"),
                          cl::cat(category)};
  Field<std::string> function{"function", value("NAME"),
                              cl::location(o.function), cl::cat(category),
                              desc("function to run; needed only when there "
                                   "are several and none is main")};
  Field<std::string> device{
      "device", value("cpu|cuda|reference"), cl::location(o.device),
      cl::cat(category),
      desc("where to run: compiled on the CPU or the GPU, or in the "
           "interpreter")};
  Field<std::string> target{"target", value("cpu[:NAME[:FEATURES]]|cuda:CHIP"),
                            cl::location(o.target), cl::cat(category),
                            desc("CPU or GPU that code is generated for; "
                                 "without it TC_TARGET of the environment")};
  Field<std::string> mode{
      "mode", value("default|reduce-overhead"), cl::location(o.mode),
      cl::cat(category),
      desc("reduce-overhead launches the kernels of calls that repeat as CUDA "
           "graphs; nothing changes on a CPU")};
  Field<bool> launchBlocking{
      "launch-blocking", cl::location(o.launchBlocking), cl::cat(category),
      desc("with --benchmark, calls on a GPU wait for kernels that may find an "
           "index out of range, as CUDA_LAUNCH_BLOCKING=1 has it; a call "
           "without --benchmark always does")};
  Field<std::string> libraries{
      "libraries", value("none|host|cublaslt,cudnn"), cl::location(o.libraries),
      cl::cat(category),
      desc("libraries that code for a GPU may call: host, those of this "
           "machine, or some by their names, with a comma between; without it "
           "those that the module lists")};
  List inputs{"input", value("SPEC"), cl::location(o.inputs), cl::cat(category),
              desc("an input, as 2x3xf32=1,2,3,4,5,6, 4xi64=7 or @FILE.npy; "
                   "once for each input, in order")};
  List outputs{"output", value("SPEC"), cl::location(o.outputs),
               cl::cat(category),
               desc("what to do with an output: - prints it, @FILE.npy, "
                    "@FILE.bin, +FILE.npy appends; nothing drops it")};
  List expected{"expected_output", value("SPEC"),
                cl::location(o.expectedOutputs), cl::cat(category),
                desc("an output as it should be, in the notation of --input; "
                     "a difference makes the exit status 1")};
  Field<std::string> tolerance{
      "tolerance", value("RELATIVE[,ABSOLUTE]"), cl::location(o.tolerance),
      cl::cat(category),
      desc("of comparisons, instead of that of the element type")};
  List parameters{"parameters", value("[SCOPE=]FILE"),
                  cl::location(o.parameters), cl::cat(category),
                  desc("file to take parameters from, for those whose file in "
                       "the module is SCOPE; .npz and .safetensors by name")};
  cl::opt<uint64_t> randomInputs{
      "random-inputs", value("SEED"),
      cl::cb<void, uint64_t>([this](uint64_t seed) { o.randomInputs = seed; }),
      cl::cat(category), desc("make up the inputs")};
  List sizes{"size", value("SYMBOL=N"), cl::location(o.sizes),
             cl::cat(category),
             desc("value of a symbolic size, for --random-inputs")};
  Field<unsigned> threads{"threads", value("N"), cl::location(o.threads),
                          cl::cat(category),
                          desc("threads to run on; 0 for all cores; "
                               "without it TC_THREADS")};
  Field<std::string> schedules{"schedules", value("FILE"),
                               cl::location(o.schedules), cl::cat(category),
                               desc("module with schedules of kernels")};
  List specialize{"specialize", value("FUNCTION:SYMBOL=N"),
                  cl::location(o.specialize), cl::cat(category),
                  desc("make a version of a function for sizes that are known: "
                       "SYMBOL=N, SYMBOL=MIN..MAX or SYMBOL%DIVISOR; several "
                       "after ':'")};
  Field<std::string> compileTo{"compile-to", value("PHASE"),
                               cl::location(o.compileTo), cl::cat(category),
                               desc("stop after a phase and print the module")};
  Field<std::string> dumpPhases{
      "dump-phases", value("DIRECTORY"), cl::location(o.dumpPhases),
      cl::cat(category),
      desc("write the module after each phase to a file, and the PTX of each "
           "kernel of a GPU")};
  Field<bool> printKernels{"print-kernels", cl::location(o.printKernels),
                           cl::cat(category),
                           desc("print a table of the kernels, for a GPU one "
                                "of their code as well")};
  Field<bool> explain{"explain", cl::location(o.explain), cl::cat(category),
                      desc("say what was fused, planned and guarded, and why")};
  Field<bool> printMutations{
      "print-mutations", cl::location(o.printMutations), cl::cat(category),
      desc("print the new values of inputs and buffers that change")};
  Field<bool> check{"check", cl::location(o.check), cl::cat(category),
                    desc("compare with the reference interpreter, and print "
                         "kernels, time and largest difference")};
  Field<bool> printTimings{"print-timings", cl::location(o.printTimings),
                           cl::cat(category),
                           desc("print what each phase took")};
  Field<bool> benchmark{"benchmark", cl::location(o.benchmark),
                        cl::cat(category),
                        desc("measure instead of printing "
                             "the outputs")};
  Field<std::string> benchmarkFormat{
      "benchmark_format", value("text|json"), cl::location(o.benchmarkFormat),
      cl::cat(category),
      desc("how measurements are printed; json is "
           "google-benchmark's form")};
  Field<std::string> benchmarkOut{
      "benchmark_out", value("FILE"), cl::location(o.benchmarkOut),
      cl::cat(category), desc("write the measurements, as json, to a file")};
  Field<double> benchmarkSeconds{
      "benchmark_min_time", value("SECONDS"), cl::location(o.benchmarkSeconds),
      cl::cat(category), desc("how long to measure")};
  Field<bool> profile{"profile", cl::location(o.profile), cl::cat(category),
                      desc("print how long each kernel takes")};
  Field<std::string> trace{"trace", value("FILE"), cl::location(o.trace),
                           cl::cat(category),
                           desc("write when each kernel ran, as a Chrome "
                                "trace for Perfetto")};
  Field<bool> listDevices{"list-devices", cl::location(o.listDevices),
                          cl::cat(category),
                          desc("print the devices of this machine and stop")};
  Field<bool> printLLVM{"print-llvm", cl::location(o.printLLVM),
                        cl::cat(category),
                        desc("print the optimised LLVM IR and stop")};
  Field<bool> printAssembly{"print-assembly", cl::location(o.printAssembly),
                            cl::cat(category),
                            desc("print the machine code (a GPU's: PTX) and "
                                 "stop")};
  Field<std::string> objectFiles{
      "object-files", value("DIRECTORY"), cl::location(o.objectFiles),
      cl::cat(category),
      desc("write the object code to files that a linker takes, for a GPU "
           "its kernels' PTX as well, and stop")};
};
} // namespace

static void fail(const llvm::Twine &message) {
  llvm::errs() << "tc-run: error: " << message << "\n";
  std::exit(1);
}

/// The environment's defaults for --target and --threads, and what it has
/// logged.
static void readEnvironment(RunOptions &options) {
  auto log = readLogEnvironment();
  if (!log)
    fail(llvm::toString(log.takeError()));
  options.log = *log;
  if (auto target = llvm::sys::Process::GetEnv("TC_TARGET");
      target && !target->empty())
    options.target = *target;
  auto threads = llvm::sys::Process::GetEnv("TC_THREADS");
  if (!threads || threads->empty() ||
      !llvm::StringRef(*threads).getAsInteger(10, options.threads))
    return;
  fail("the environment variable TC_THREADS is '" + *threads +
       "', expected a number of threads");
}

RunOptions tc::runner::parseCommandLine(int argc, char **argv) {
  RunOptions options;
  readEnvironment(options);
  {
    // LLVM's libraries register options of their own, some of the same name.
    cl::ResetCommandLineParser();
    CommandLine commandLine(options);
    cl::HideUnrelatedOptions(commandLine.category);
    cl::ParseCommandLineOptions(argc, argv,
                                "Compiles a tensor program and runs it.\n");
  }
  return options;
}
