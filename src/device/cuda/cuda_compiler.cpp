#include "device/cuda/cuda_compiler.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "device/cuda/cuda_api.hpp"

namespace stretto::device::cuda {

namespace {

constexpr const char* how_to_get_it =
    "install CUDA's NVRTC (Debian: libnvrtc11.2, pip: nvidia-cuda-nvrtc), or set CUDA_HOME to the toolkit's folder";

/// A program of NVRTC, ended with its scope.
struct program {
  const compiler& with;
  nvrtcProgram handle = nullptr;
  ~program() {
    if (handle) with.nvrtcDestroyProgram(&handle);
  }
  std::string read(int (*size)(nvrtcProgram, std::size_t*), int (*get)(nvrtcProgram, char*)) const {
    std::size_t bytes = 0;
    if (size(handle, &bytes) != NVRTC_SUCCESS) return {};
    std::string text(bytes, '\0');
    return get(handle, text.data()) == NVRTC_SUCCESS ? text : std::string();
  }
};

}  // namespace

std::vector<std::string> usual_compilers() {
  std::vector<std::string> folders;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* const root = std::getenv(name); root && *root) folders.push_back(fmt::format("{}/lib64/", root));
  folders.insert(folders.end(), {"", "/usr/local/cuda/lib64/"});
  std::vector<std::string> all;
  for (const std::string& folder : folders)
    for (const char* const name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
      all.push_back(folder + name);
  return all;
}

std::shared_ptr<const compiler> compiler::load(const std::string& library) {
  void* const handle = open_library(library, how_to_get_it);
  const auto made = std::make_shared<compiler>();
  made->library = library;
#define STRETTO_FIND(name, suffix, parameters) \
  made->name = reinterpret_cast<decltype(made->name)>(function_of(handle, #name #suffix, library, how_to_get_it));
  STRETTO_NVRTC_FUNCTIONS(STRETTO_FIND)
#undef STRETTO_FIND
  int major = 0, minor = 0, count = 0;
  bool good =
      made->nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && made->nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS;
  made->architectures.resize(good && count > 0 ? static_cast<std::size_t>(count) : 0);
  good = good && made->nvrtcGetSupportedArchs(made->architectures.data()) == NVRTC_SUCCESS;
  if (!good || made->architectures.empty())
    throw error("K42", fmt::format("the CUDA library \"{}\" cannot be used", library))
        .because("it does not report its target architectures")
        .remedy(how_to_get_it);
  std::sort(made->architectures.begin(), made->architectures.end());
  made->version = major * 1000 + minor * 10;
  return made;
}

std::shared_ptr<const compiler> compiler::find(int driver_version) {
  std::shared_ptr<const compiler> newer;
  std::string broken;
  for (const std::string& place : usual_compilers()) {
    try {
      auto one = load(place);
      if (one->version / 1000 <= driver_version / 1000) return one;
      newer = std::move(one);
    } catch (const error& e) {
      // A missing library is expected; an unusable one is reported.
      if (e.sentence().find("cannot be opened") == std::string::npos)
        broken = fmt::format("{}: {}", e.sentence(), e.why());
    }
  }
  if (newer)
    throw error("K42", fmt::format("the CUDA library \"{}\" is newer than the driver", newer->library))
        .because(fmt::format("it belongs to CUDA {}, but the driver to CUDA {}", version_text(newer->version),
                             version_text(driver_version)))
        .remedy(fmt::format("update NVIDIA's driver, or install NVRTC of CUDA {}", driver_version / 1000));
  throw error("K42", "no CUDA library that compiles kernels (NVRTC) is found")
      .because(broken.empty() ? "libnvrtc.so is in none of the loader's folders nor in /usr/local/cuda/lib64" : broken)
      .remedy(how_to_get_it);
}

std::string compiler::architecture_for(int capability) const {
  if (std::binary_search(architectures.begin(), architectures.end(), capability))
    return fmt::format("sm_{}", capability);
  // The device is newer than the compiler: the driver translates code of the latest architecture before it.
  const auto later = std::upper_bound(architectures.begin(), architectures.end(), capability);
  return later == architectures.begin() ? std::string() : fmt::format("compute_{}", *std::prev(later));
}

std::string compiler::compile(const kernel_code& code, const std::string& source, const std::vector<std::string>& flags,
                              const std::string& device) const {
  std::vector<const char*> given;
  for (const std::string& f : flags) given.push_back(f.c_str());
  const bool for_the_device =
      std::any_of(flags.begin(), flags.end(), [](const auto& f) { return f.find("=sm_") != f.npos; });
  program p{*this};
  std::string log;
  int status = nvrtcCreateProgram(&p.handle, source.c_str(), "kernel.cu", 0, nullptr, nullptr);
  if (status == NVRTC_SUCCESS) {
    status = nvrtcCompileProgram(p.handle, static_cast<int>(given.size()), given.data());
    if (status == NVRTC_SUCCESS) {
      std::string image =
          for_the_device ? p.read(nvrtcGetCUBINSize, nvrtcGetCUBIN) : p.read(nvrtcGetPTXSize, nvrtcGetPTX);
      if (!image.empty()) return image;
    }
    log = readable_log(p.read(nvrtcGetProgramLogSize, nvrtcGetProgramLog));
  }
  throw error("K12", fmt::format("kernel \"{}\" does not compile for the device", code.name))
      .fact("kernel", fmt::format("{}:{}", code.file, code.line))
      .fact("device", device)
      .because(log.empty() ? fmt::format("{} gives no code: NVRTC error {}", library, status) : log)
      .remedy("write the body in the common subset of C and C++; docs/guide/kernels.md lists the pitfalls");
}

namespace {

bool take(std::string_view& text, std::string_view word) noexcept {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::string_view take_number(std::string_view& text) noexcept {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

/// "error", "warning" or "catastrophic error"; empty if it is none.
std::string_view take_kind(std::string_view& text) noexcept {
  for (const std::string_view kind : {"catastrophic error", "error", "warning"})
    if (take(text, kind)) return kind;
  return {};
}

/// "2 errors detected in the compilation of ...".
bool is_count(std::string_view line) noexcept {
  if (take_number(line).empty() || !take(line, " ") || take_kind(line).empty()) return false;
  take(line, "s");
  return take(line, " detected in the compilation of ");
}

/// `file(12): error #20-D: what` as `file:12: error: what`; any other line as it is.
std::string readable_line(std::string_view line) {
  // A file name may look like a line number in brackets; the last match counts.
  for (auto open = line.rfind('('); open != line.npos; open = open ? line.rfind('(', open - 1) : line.npos) {
    std::string_view rest = line.substr(open + 1);
    const std::string_view number = take_number(rest);
    if (number.empty() || !take(rest, "): ")) continue;
    const std::string_view kind = take_kind(rest);
    if (kind.empty()) continue;
    if (take(rest, " #")) {
      take_number(rest);
      if (rest.size() > 1 && rest[0] == '-') rest.remove_prefix(2);
    }
    if (take(rest, ": ")) return fmt::format("{}:{}: {}: {}", line.substr(0, open), number, kind, rest);
  }
  return std::string(line);
}

}  // namespace

std::string readable_log(const std::string& log) {
  std::string_view left = std::string_view(log).substr(0, log.find('\0'));
  std::string text;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (line.find_first_not_of(" \t\r") == line.npos || is_count(line)) continue;
    text += (text.empty() ? "" : "\n") + readable_line(line);
  }
  return text;
}

}  // namespace stretto::device::cuda
