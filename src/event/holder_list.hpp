// holder_list.hpp - the things of one runtime that the program holds at the moment (holder_record.hpp).
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
    std::string what;  // view of object "u"
    std::string who;   // task "reader"; empty: the thread
    int thread = 0;    // the thread that took it
    std::source_location since;
  };
  std::mutex mutex;
  std::list<entry> all;
};

}  // namespace stretto::detail
