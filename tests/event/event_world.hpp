// event_world.hpp - for tests: a runtime with events only, entered by the thread that makes it and by others.
#pragma once

#include <stretto/error.hpp>

#include <stdexcept>

#include "base/context.hpp"
#include "event/event_floor.hpp"

namespace stretto::testing {

struct event_world {
  base::runtime_context runtime;

  explicit event_world(std::uint16_t node = 0) {
    runtime.node = node;
    detail::start_events(runtime);
  }
  event_world(const event_world&) = delete;
  ~event_world() { detail::stop_events(runtime); }
};

/// Makes the calling thread a member of the world while it lives.
class member {
 public:
  explicit member(event_world& world, std::uint32_t index = 0) {
    context.runtime = &world.runtime;
    context.index = index;
    detail::enter_events(context);
    before_ = base::set_current(&context);
  }
  member(const member&) = delete;
  ~member() {
    base::set_current(before_);
    detail::leave_events(context);
  }

  base::thread_context context;

 private:
  base::thread_context* before_;
};

struct lone_world : event_world, member {
  explicit lone_world(std::uint16_t node = 0) : event_world(node), member(static_cast<event_world&>(*this)) {}
};

/// The message of the root exception, or "" if `e` is not poisoned.
inline std::string words_of_cause(event e) {
  try {
    e.result().rethrow();
    return "";
  } catch (const std::exception& x) {
    return x.what();
  }
}

inline std::exception_ptr trouble(const std::string& words) {
  return std::make_exception_ptr(std::runtime_error(words));
}

/// "file.cpp:12" of the line that calls it.
inline std::string line_of(const std::source_location& where = std::source_location::current()) {
  return short_location(where);
}

/// "file.cpp:13", of the line after the one that calls it.
inline std::string line_after(const std::source_location& where = std::source_location::current()) {
  const std::string file(where.file_name());
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line() + 1);
}

/// The message of the exception that `f` throws; "" if none.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
    return "";
  } catch (const std::exception& x) {
    return x.what();
  }
}

}  // namespace stretto::testing
