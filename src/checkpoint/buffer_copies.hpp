// buffer_copies.hpp - this node's copies of buffer rows for checkpoints that are not written yet.
//
// Checkpoints are numbered in program order, so the numbers agree on all nodes. A request for a checkpoint may arrive
// before this node's program has begun it; the request then waits.
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

/// Rows of a buffer that this node writes, dense in C order.
struct copied_rows {
  std::string name;
  saved_shape shape;
  coordinate first_row = 0, rows = 0;  // first_row counts from 0
  std::vector<std::byte> elements;
};

struct copies_of_buffers {
  std::vector<std::shared_ptr<copied_rows>> all;
  event copied;   // poisoned if a writer of the elements failed
  event written;  // on node 0: the checkpoint is in place, or poisoned with the reason
};

class buffer_copies {
 public:
  /// The number of a new checkpoint.
  std::uint64_t next();
  void add(std::uint64_t number, copies_of_buffers copies);
  /// Waits until the copies of that checkpoint have been added.
  copies_of_buffers find(std::uint64_t number, const std::source_location& where);
  void forget(std::uint64_t number);

  /// On node 0: all checkpoints so far have ended, successfully or not.
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

/// The copies of the runtime; destroyed with its buffers.
std::shared_ptr<buffer_copies> copies_here();

}  // namespace stretto::checkpoints
