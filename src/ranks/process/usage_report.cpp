#include "ranks/process/usage_report.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "base/error_output.hpp"

namespace stretto::ranks {
namespace {

std::atomic<bool> found = false;

}  // namespace

void report_usage(const error& e) {
  static std::mutex mutex;
  static auto* const printed = new std::set<std::string>;  // ranks may outlive static objects
  found = true;
  const std::scoped_lock lock(mutex);
  if (printed->insert(e.what()).second) base::print_error(e, base::error_form_of(base::stretto_environment(), {}));
}

bool has_usage_errors() noexcept { return found; }

}  // namespace stretto::ranks
