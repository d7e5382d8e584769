#include "device/portability.hpp"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>

#include "base/process_wide.hpp"
#include "device/kernel_text.hpp"

namespace stretto::device {

namespace {

struct verdict {
  std::optional<error> refused;
  bool is_told = false;
};

std::optional<error> find_refusal(const kernel_code& code) {
  if (code.native) return {};
  try {
    const kernel_text text = text_for(code, dialect::opencl);
    if (text.unknown.empty()) return {};
    return error("K12", fmt::format("kernel \"{}\" does not compile for the device", code.name))
        .fact("kernel", fmt::format("{}:{}", code.file, code.line))
        .because(
            fmt::format("{}: devices do not know \"{}\": a macro, a function or another name of the host's program",
                        text.unknown_where, text.unknown))
        .remedy("make it a STRETTO_DEVICE_CONSTANT, _FUNCTION or _STRUCT; docs/guide/kernels.md lists the pitfalls");
  } catch (const error& e) {
    return e;
  }
}

/// Kernels are never destroyed.
struct verdicts {
  std::mutex mutex;
  std::unordered_map<const kernel_code*, verdict> of;

  verdict& find(const kernel_code& code) {
    const auto found = of.find(&code);
    return found != of.end() ? found->second : of.emplace(&code, verdict{find_refusal(code)}).first->second;
  }
};

verdicts& verdicts_of_process() {
  static verdicts& of_this_process = base::make_process_wide<verdicts>();
  return of_this_process;
}

}  // namespace

std::optional<error> device_refusal(const kernel_code& code) {
  std::scoped_lock lock(verdicts_of_process().mutex);
  return verdicts_of_process().find(code).refused;
}

void warn_of_device_refusal(const kernel_code& code, const std::function<void(const std::string&)>& warn) {
  std::string why;
  {
    std::scoped_lock lock(verdicts_of_process().mutex);
    verdict& v = verdicts_of_process().find(code);
    if (!v.refused || v.is_told) return;
    v.is_told = true;
    why = v.refused->why();
  }
  warn(fmt::format("kernel \"{}\" ({}:{}) would run on the host alone: {}", code.name, code.file, code.line, why));
}

}  // namespace stretto::device
