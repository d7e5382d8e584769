// driver_threads.hpp - threads that a driver starts in our process: they do what we gave it, and end no event by
// themselves.
//
// A count of the threads that may still do something leaves them out; the device knows whether its driver has work of
// ours. Nobody tells whose a thread is, but a new one bears the name of the thread that started it:
// so a thread that calls a driver has a name for that time that no other has.
//
// Threads     any. One that calls a driver keeps the object on its stack.
// Cost        an object: some system calls and a look at all threads of the process; not for calls of every day.
// Invariants  a thread of the program is never among them, unless the program names it as drivers do (prefix).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::base {

class driver_threads {
 public:
  /// Until its end, threads that this thread starts are a driver's. Those that rename themselves at once are known by
  /// `prefix`, how their names begin; empty: there are none.
  explicit driver_threads(std::string_view prefix = {});
  ~driver_threads();
  driver_threads(const driver_threads&) = delete;

  /// Which of these threads of this process are drivers'.
  static std::vector<int> among(std::span<const int> threads);

 private:
  std::string prefix_, own_name_;
  std::vector<int> before_;
};

/// Numbers of all threads of this process; none if they cannot be known.
std::vector<int> threads_of_process();
/// Its name, cut at 15 bytes by the system; empty if it has ended.
std::string name_of_thread(int number);

}  // namespace stretto::base
