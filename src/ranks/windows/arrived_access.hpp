// arrived_access.hpp - an access of a rank of another node that has come with all its parts: performs it, and replies.
//
// Threads     any; the replies are sent once, when nothing more is done with the window: then it may be freed.
// Errors      of the access: kept for its sender until a header asks to report them.
#pragma once

#include <cstdint>
#include <vector>

#include "ranks/windows/access_message.hpp"
#include "ranks/windows/local_target.hpp"

namespace stretto::ranks {

struct access_reply {
  int tag = 0;
  std::vector<std::byte> bytes;
  data_part in_window;  // instead of the bytes
  datatype_ref type;    // of the data in the window
  bool is_wanted = false;
};

struct access_replies {
  int to = 0;
  access_reply data;
  access_reply steps;

  bool is_any_wanted() const { return data.is_wanted || steps.is_wanted; }
  void send(const window_channel& channel);
};

struct arrived_access {
  const access_header& header;
  int sender = 0;
  world_rank rank{};                // that of the sender
  const std::byte* data = nullptr;  // packed; of puts only if it is not in the window already
  datatype_ref type;
  bool is_in_place = false;  // a put's data

  target_place place() const { return {header.displacement, header.count, type.get()}; }

  /// All steps but a lock, which the sender has. `error` is that of the sender.
  access_replies perform(local_target& own, error_class& error) const;

 private:
  access_reply perform_access(local_target& own) const;
  access_reply perform_get(local_target& own) const;
  access_reply perform_operation(local_target& own) const;
  access_reply reply_to_steps(error_class& error) const;
};

}  // namespace stretto::ranks
