// same_program.hpp - what a node of a job does so that programs that part from one another are told: notes each call on buffers, and ends
// what goes on when nodes differ.
//
// Threads     add: whoever holds the buffers. The rest: any.
// Cost        add: about 200 instructions. Nothing on one node, or where the option compare_nodes is off: there is none of this.
// Invariants  (1) nothing waits but who has failed, in explain.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>

#include "buffers/agreement.hpp"
#include "buffers/course.hpp"
#include "data/other_nodes.hpp"
#include "event/failure.hpp"

namespace stretto::buffers {

class same_program {
 public:
  explicit same_program(data::other_nodes& others);
  ~same_program();

  /// Throws B23 once nodes are known to differ.
  void add(std::shared_ptr<const known_call> c, std::uint64_t task, const std::source_location& where);

  /// This node makes no more calls, and as the program says unless it has failed. Who has made none says nothing.
  enum class ended : bool { as_it_says, in_failure };
  void end(ended how);

  /// Waits until it is known whether the programs differ that nodes have run so far. On a thread of the runtime.
  void explain(const std::source_location& where);
  /// B23, if nodes differ; it counts as told from then on.
  std::optional<error> take_difference();
  /// The same if nobody was told of it.
  std::optional<error> untold_difference();

 private:
  void differ(const parting& d, base::thread_context& context);

  data::other_nodes& others_;
  course course_;
  agreement agreement_;
  std::atomic<bool> differs_{false}, is_told_{false};
  std::mutex lock_;  // guards what follows
  std::optional<error> error_;
};

}  // namespace stretto::buffers
