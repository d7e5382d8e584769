// fake_state.hpp - the state of the fake driver: devices, handles, memory, settings.
//
// Threads     one lock for everything except the work in streams; a function that does not lock must be called with
//             the lock held.
// Invariants  an invalid call returns the driver's error: for a context that is not current, a released handle, bytes
//             outside of an allocation.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "device/cuda/cuda_abi.hpp"

namespace stretto::device::cuda {

inline constexpr int invalid_value = 1, not_initialized = 3, invalid_device = 101, invalid_image = 200,
                     no_context = 201, no_binary = 209, peer_unsupported = 217, invalid_handle = 400, not_found = 500,
                     already_registered = 712, not_supported = 801;

/// Whether the point that an event recorded last has been reached.
struct point {
  bool passed = false;
};

struct CUctx_st {
  int device = 0;
  int retained = 0;
  int lost = CUDA_SUCCESS;  // the status of every later call
  std::set<CUcontext> opened;
};
struct CUevent_st {
  CUcontext context;
  std::shared_ptr<point> last;
};
/// The operations that were enqueued while a stream was captured. An executable graph is a copy.
struct CUgraph_st {
  CUcontext context;
  std::vector<std::function<int()>> work;
};
struct CUstream_st {
  CUcontext context;
  std::deque<std::function<int()>> work;
  CUgraph_st* captured = nullptr;  // what is enqueued goes there
  bool busy = false, ending = false;
  std::thread thread;
};
struct CUfunc_st {
  CUmodule module;
  int (*run)(void**, const unsigned*, const unsigned*, unsigned);
  unsigned count;
  const std::size_t* sizes;
  int most_dynamic = 48 << 10;
};
struct CUmod_st {
  CUcontext context;
  void* code;
  CUfunc_st function;
};

struct allocation {
  std::size_t bytes;
  CUcontext context;        // null: of the host, page-locked
  bool is_callers = false;  // which it was before
  int file = -1;            // of a device's, which other processes may open, with a lock that they share
  long number = 0;          // in its name
  int process = 0;          // of another one's, whose it is,
  unsigned opened = 0;      // and how often it is open here
};

struct whole_driver {
  std::mutex mutex;
  std::condition_variable changed;
  bool initialized = false;
  std::map<std::string, long> settings{
      {"devices", 2}, {"memory", 256l << 20}, {"version", 12040}, {"capability", 80}, {"peers", 1}};
  std::map<std::string, long> counts;
  CUctx_st contexts[8];
  std::set<const void*> handles;  // of streams, events, modules, functions
  std::map<std::uintptr_t, allocation> memory;

  long setting(const char* name) {
    const auto at = settings.find(name);
    return at == settings.end() ? 0 : at->second;
  }
};
// Never destroyed: streams of a failed test may still run.
inline whole_driver& all() {
  static auto* const d = new whole_driver;
  return *d;
}
/// By their numbers on the machine, those that the variable of NVIDIA's driver shows, up to the first that is none.
inline std::vector<CUdevice> visible_devices() {
  const char* const said = std::getenv("FAKE_CUDA_DEVICES");
  const long there = said ? std::atol(said) : all().setting("devices");
  std::vector<CUdevice> visible;
  if (const char* shown = std::getenv("CUDA_VISIBLE_DEVICES")) {
    for (char* end = nullptr; *shown; shown = *end == ',' ? end + 1 : end) {
      const long n = std::strtol(shown, &end, 10);
      if (end == shown || n < 0 || n >= there) break;
      visible.push_back(static_cast<CUdevice>(n));
    }
    return visible;
  }
  for (long n = 0; n < there; ++n) visible.push_back(static_cast<CUdevice>(n));
  return visible;
}
/// A thread's contexts, the current one last. They stay as long as the thread does: it may close devices behind the
/// ends of all that it kept for itself, as the first thread does for what is static, and NVIDIA's driver takes that,
/// too.
class contexts_of_thread {
 public:
  bool empty() const { return depth_ == 0; }
  bool is_full() const { return depth_ == most; }
  CUcontext back() const { return all_[depth_ - 1]; }
  void push_back(CUcontext c) { all_[depth_++] = c; }
  void pop_back() { --depth_; }

 private:
  static constexpr unsigned most = 16;
  CUcontext all_[most] = {};
  unsigned depth_ = 0;
};
static_assert(std::is_trivially_destructible_v<contexts_of_thread>);
inline constinit thread_local contexts_of_thread current;

inline int misused(int status) {
  ++all().counts["misuse"];
  return status;
}

/// The thread's context; the caller holds the lock. Returns an error if there is none, or its device is lost.
inline int context_of_caller(CUcontext& c) {
  if (current.empty() || !current.back()->retained) return misused(no_context);
  c = current.back();
  return c->lost;
}
inline int context_of(const CUstream s, CUcontext& c) {
  if (const int status = context_of_caller(c)) return status;
  if (!all().handles.contains(s)) return misused(invalid_handle);
  return s->context == c ? CUDA_SUCCESS : misused(invalid_handle);
}

/// Whether these bytes lie in one allocation of the device (or, for null, in none of any).
inline bool is_in(CUcontext c, std::uintptr_t at, std::size_t bytes) {
  auto after = all().memory.upper_bound(at);
  const bool inside = after != all().memory.begin() && at < std::prev(after)->first + std::prev(after)->second.bytes;
  const bool begins_another = after != all().memory.end() && after->first < at + bytes;
  if (!c)
    return inside ? !std::prev(after)->second.context &&
                        at + bytes <= std::prev(after)->first + std::prev(after)->second.bytes
                  : !begins_another;
  return inside && std::prev(after)->second.context == c &&
         at + bytes <= std::prev(after)->first + std::prev(after)->second.bytes;
}

inline std::byte* pointer(CUdeviceptr p) { return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(p)); }

}  // namespace stretto::device::cuda
