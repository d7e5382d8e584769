// persona.hpp - personas of the stand-in: there is the master persona only.
#pragma once

#include <upcxx/future.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace upcxx {

namespace stand_in {
[[noreturn]] inline void stop(const char* what) {
  std::fprintf(stderr, "stand-in of UPC++: %s\n", what);
  std::abort();
}
inline thread_local char this_thread = 0;  // its address stands for the thread
}  // namespace stand_in

class persona {
 public:
  bool active() const { return owner_.load() != nullptr; }
  bool active_with_caller() const { return owner_.load() == &stand_in::this_thread; }

 private:
  friend class persona_scope;
  friend void liberate_master_persona();
  friend void init();
  std::atomic<char*> owner_{nullptr};
};

inline persona& master_persona() {
  static persona is;
  return is;
}

class persona_scope {
 public:
  explicit persona_scope(persona& p) : is_(p), was_active_(p.active_with_caller()) {
    char* nobody = nullptr;
    if (!was_active_ && !is_.owner_.compare_exchange_strong(nobody, &stand_in::this_thread))
      stand_in::stop("two threads have the master persona");
  }
  persona_scope(const persona_scope&) = delete;
  ~persona_scope() {
    if (!is_.active_with_caller()) stand_in::stop("a persona scope ends on another thread");
    if (!was_active_) is_.owner_.store(nullptr);
  }

 private:
  persona& is_;
  const bool was_active_;
};

inline void liberate_master_persona() {
  if (!master_persona().active_with_caller()) stand_in::stop("another thread liberates the master persona");
  master_persona().owner_.store(nullptr);
}

inline void stand_in::require_master(const char* call) {
  if (master_persona().active_with_caller()) return;
  std::fprintf(stderr, "stand-in of UPC++: %s without the master persona\n", call);
  std::abort();
}

}  // namespace upcxx
