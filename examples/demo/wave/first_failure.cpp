#include "demo/wave/first_failure.hpp"

#include <stretto/error.hpp>
#include <stretto/task.hpp>

namespace stretto::wave {

std::exception_ptr first_failure(const dependency& d) {
  try {
    wait(d);
    return nullptr;
  } catch (const poisoned& skipped) {
    return skipped.root() ? skipped.root() : std::current_exception();
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace stretto::wave
