// fake_nvrtc.cpp - NVRTC's functions over the host's compiler: what it makes is a shared library that fake_cuda.cpp
// runs.
//
// Threads     any.
#include <stdlib.h>
#include <sys/wait.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "device/cuda/cuda_abi.hpp"

namespace stretto::device::cuda {

struct nvrtcProgram_st {
  std::string source, log, image;
};

namespace {

constexpr int invalid_input = 3, invalid_option = 5;

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// "file:12:3: error: text" as NVRTC has it: "file(12): error: text", and a count.
std::string as_nvrtc_says(const std::string& log) {
  static const std::regex place(R"(^(.*):(\d+):\d+: (?:fatal )?error: )");
  std::istringstream in(log);
  std::string all, line;
  int errors = 0;
  while (std::getline(in, line)) {
    errors += std::regex_search(line, place);
    all += std::regex_replace(line, place, "$1($2): error: ") + "\n";
  }
  return all + "\n" + std::to_string(errors) + (errors == 1 ? " error" : " errors") +
         " detected in the compilation of \"kernel.cu\".\n";
}

/// Whether NVRTC would know this option.
bool understood(const std::string& option, std::string& architecture, std::string& defines) {
  static const std::string arch = "--gpu-architecture=";
  if (option.rfind(arch, 0) == 0) architecture = option.substr(arch.size());
  else if (option.rfind("-D", 0) == 0) defines += " " + option;
  else if (option.rfind("-I", 0) == 0) defines += " " + option;
  else return option == "--std=c++14" || option == "--fmad=false" || option == "--disable-warnings";
  return true;
}

/// Between a prelude and an epilogue; empty if the text has no entry.
std::string as_host_code(const std::string& source) {
  static const std::regex shared(R"(extern __shared__ __align__\(16\) char (\w+)\[\];)"),
      entry(R"((?:STRETTO_ENTRY|extern "C" __global__ void) (\w+)\()");
  std::smatch memory, kernel;
  const bool has_memory = std::regex_search(source, memory, shared);
  std::string::const_iterator from = source.begin();
  // The macro's own definition is not an entry of ours.
  if (!std::regex_search(from, source.end(), kernel, entry)) return {};
  const bool barriers =
      source.find("STRETTO_BARRIER ;") != std::string::npos || source.find("__syncthreads();") != std::string::npos;
  return "#include \"" FAKE_NVRTC_PRELUDE "\"\n#line 1 \"kernel.cu\"\n" +
         std::regex_replace(source, shared, "static __thread char* $1;") + "\n" +
         (has_memory ? "" : "static __thread char* no_shared;\n") + "#define FAKE_SHARED " +
         (has_memory ? memory[1].str() : "no_shared") + "\n#define FAKE_ENTRY " + kernel[1].str() +
         "\n#define FAKE_BARRIERS " + (barriers ? "1" : "0") + "\n#include \"" FAKE_NVRTC_EPILOGUE "\"\n";
}

int copy_out(const std::string& what, std::size_t* bytes, char* to, bool with_end) {
  if (bytes) *bytes = what.size() + with_end;
  if (to) std::memcpy(to, what.c_str(), what.size() + with_end);
  return NVRTC_SUCCESS;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = 12, *minor = 4, NVRTC_SUCCESS; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 3, NVRTC_SUCCESS; }
int nvrtcGetSupportedArchs(int* all) { return all[0] = 75, all[1] = 80, all[2] = 86, NVRTC_SUCCESS; }

int nvrtcCreateProgram(nvrtcProgram* p, const char* source, const char*, int headers, const char* const*,
                       const char* const*) {
  if (!source || headers) return invalid_input;
  *p = new nvrtcProgram_st{source, {}, {}};
  return NVRTC_SUCCESS;
}
int nvrtcDestroyProgram(nvrtcProgram* p) {
  delete *p;
  *p = nullptr;
  return NVRTC_SUCCESS;
}

int nvrtcCompileProgram(nvrtcProgram p, int count, const char* const* options) {
  std::string architecture, defines;
  for (int i = 0; i < count; ++i)
    if (!understood(options[i], architecture, defines))
      return p->log = std::string("unrecognized option ") + options[i], invalid_option;
  std::string folder = (std::filesystem::temp_directory_path() / "fake-nvrtc-XXXXXX").string();
  if (!mkdtemp(folder.data())) return invalid_input;
  const std::filesystem::path in = folder;
  std::ofstream(in / "kernel.cpp") << as_host_code(p->source);
  // No sanitizers, even if the tests have them, and no optimisation that changes floating-point results.
  const std::string command = std::string(FAKE_NVRTC_COMPILER) + " -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off" +
                              defines + " " + folder + "/kernel.cpp -o " + folder + "/kernel.so 2> " + folder + "/log";
  const int status = std::system(command.c_str());
  const bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (good) {
    const std::string code = read(in / "kernel.so");
    p->image = "FAKE " + architecture + " " + std::to_string(code.size()) + "\n" + code;
  } else {
    p->log = as_nvrtc_says(read(in / "log"));
  }
  std::filesystem::remove_all(in);
  return good ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

int nvrtcGetProgramLogSize(nvrtcProgram p, std::size_t* bytes) { return copy_out(p->log, bytes, nullptr, true); }
int nvrtcGetProgramLog(nvrtcProgram p, char* to) { return copy_out(p->log, nullptr, to, true); }
int nvrtcGetCUBINSize(nvrtcProgram p, std::size_t* bytes) { return copy_out(p->image, bytes, nullptr, false); }
int nvrtcGetCUBIN(nvrtcProgram p, char* to) { return copy_out(p->image, nullptr, to, false); }
int nvrtcGetPTXSize(nvrtcProgram p, std::size_t* bytes) { return copy_out(p->image, bytes, nullptr, false); }
int nvrtcGetPTX(nvrtcProgram p, char* to) { return copy_out(p->image, nullptr, to, false); }

}  // extern "C"

}  // namespace stretto::device::cuda
