// driver_threads.hpp - identifies the threads that device drivers start in this process.
//
// A count of the threads that may still do something leaves them out; the device knows whether its driver has work of
// ours. Nobody tells whose a thread is, but a new one bears the name of the thread that started it:
// so a thread that calls a driver has a name for that time that no other has.
//
// Threads     any. The caller of a driver keeps the object on its stack.
// Cost        an object: some system calls and a scan of all threads of the process; too much for frequent calls.
// Invariants  a thread of the program is never among them, unless its name begins with a driver's `prefix`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::base {

class driver_threads {
 public:
  /// While it lives, threads that this thread starts count as a driver's. `prefix` identifies driver threads that
  /// rename themselves at once; empty: there are none.
  explicit driver_threads(std::string_view prefix = {});
  ~driver_threads();
  driver_threads(const driver_threads&) = delete;

  /// Those of these threads that belong to drivers.
  static std::vector<int> among(std::span<const int> threads);

 private:
  std::string prefix_, own_name_;
  std::vector<int> before_;
};

/// Numbers of all threads of this process; none if they cannot be known.
std::vector<int> threads_of_process();
/// The name of a thread, cut at 15 bytes by the system; empty if it has ended.
std::string name_of_thread(int number);

}  // namespace stretto::base
