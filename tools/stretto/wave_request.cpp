#include "stretto/wave_request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

/// The failure that a test requests with STRETTO_TEST_FAIL_TILE=TILE:STEP.
std::optional<wave::planned_failure> failure_asked_for() {
  const char* text = std::getenv("STRETTO_TEST_FAIL_TILE");
  if (!text) return std::nullopt;
  const std::string_view all = text;
  wave::planned_failure failure;
  const auto colon = std::min(all.find(':'), all.size());
  std::from_chars(text, text + colon, failure.tile);
  std::from_chars(text + std::min(colon + 1, all.size()), text + all.size(), failure.step);
  return failure;
}

}  // namespace

wave::demonstration_request wave_request(const base::settings& settings, const wave::options& asked) {
  wave::demonstration_request request{.asked = asked, .runtime = {}};
  if (settings.workers) {
    request.asked.workers = std::to_string(settings.workers);
    request.runtime.workers = std::uint32_t(settings.workers);
  }
  request.runtime.stack_bytes = settings.stack_size;
  request.runtime.seed = settings.seed;
  request.runtime.devices = settings.devices;
  // The timeline goes to the folder of the pictures, unless --trace says otherwise.
  if (!settings.trace.empty()) request.runtime.trace = settings.trace;
  else if (settings.trace_level != base::trace_detail::off) request.runtime.trace = (asked.out / "trace.json").string();
  request.platform_file = settings.platform;
  request.style = may_colour(settings.color, stdout) ? wave::text_style::coloured : wave::text_style::plain;
  request.progress = progress_as(settings, "steps");
  request.failure = failure_asked_for();
  return request;
}

}  // namespace stretto::tools
