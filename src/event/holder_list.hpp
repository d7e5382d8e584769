// held_list.hpp - what the program holds of one runtime at the moment (held.hpp).
//
// Threads     any, under its mutex.
#pragma once

#include <list>
#include <mutex>
#include <source_location>
#include <string>

#include <stretto/event.hpp>

namespace stretto::detail {

struct holder_list {
  struct entry {
    event until;
    std::string what;     // view of object "u"
    std::string who;      // task "reader"; empty: the thread
    int thread = 0;       // where it was taken
    std::source_location since;
  };
  std::mutex mutex;
  std::list<entry> all;
};

}  // namespace stretto::detail
