// buffer_copies.hpp - what this node has copied of buffers for checkpoints, until it is written; and how nodes learn of one another's.
//
// Checkpoints have numbers, in the order of the program: the same on every node. What is asked about one may come before this node's own
// program has got there, and waits for it.
//
// Threads     any task.
#pragma once

#include <stretto/buffer.hpp>
#include <stretto/event.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checkpoint/content_io.hpp"

namespace stretto::checkpoints {

/// Rows of a buffer that this node writes: dense, in the order of C.
struct copied_rows {
  std::string name;
  kept_shape shape;
  coordinate first_row = 0, rows = 0;  // the first counted from 0
  std::vector<std::byte> elements;
};

struct copies_of_buffers {
  std::vector<std::shared_ptr<copied_rows>> all;
  event copied;     // poisoned if what was to write the elements has failed
  event written;    // on node 0: the checkpoint is in place, or why not
};

class buffer_copies {
 public:
  /// The next number, of a checkpoint that begins.
  std::uint64_t next();
  void add(std::uint64_t number, copies_of_buffers copies);
  /// Waits until there are such.
  copies_of_buffers find(std::uint64_t number, const std::source_location& where);
  void forget(std::uint64_t number);

  /// On node 0: when all checkpoints so far have ended, in whatever way.
  event before;

 private:
  struct entry {
    user_event is_there;
    copies_of_buffers copies;
  };
  entry& at(std::uint64_t number, const std::source_location& where);

  std::mutex lock_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, entry> all_;
};

/// Those of the runtime, which end with its buffers.
std::shared_ptr<buffer_copies> copies_here();

}  // namespace stretto::checkpoints
