// questions.hpp - what this node has asked others to do to instances, and waits for: each an event, ended by an answer.
//
// Messages    answer: the question's number, and a cause if it failed.
// Threads     any of the runtime.
// Memory      one that begins at once counts as what is kept here until others answer, so that who asks faster than others do waits.
// Invariants  (1) each question ends once: by its answer, or with N05 once a node is lost that had a part in it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "dist/failures.hpp"
#include "dist/job.hpp"
#include "sched/profile_state.hpp"

namespace stretto {
class preconditions;
}

namespace stretto::dist {

/// Which of whose questions.
struct question {
  rank asker = 0;
  std::uint64_t number = 0;  // its event, as all nodes know it; 0: nobody waits for an answer
  friend bool operator==(const question&, const question&) = default;
};

class questions {
 public:
  /// What it takes, about: its record, its event and its words here, and what is kept of it where it is answered.
  static constexpr std::uint64_t bytes_of_question = 1024;

  /// Before job::start.
  questions(job& j, failures& causes);

  /// A new one, in which `parts` (up to three nodes) have a part; `what` for people. Once it is on its way: end_if_lost.
  struct asked {
    question is;
    event done;
  };
  /// What waits for events of the program's counts for nothing (back_pressure.hpp): they may be events that come behind what would wait.
  enum class begins : bool { later, at_once };
  asked ask(std::string what, std::span<const rank> parts, const preconditions& after, const std::source_location& where,
            begins when = begins::later);
  /// A part that was lost before this was asked is not told of again.
  void end_if_lost(const question& q, std::span<const rank> parts, base::thread_context& context) noexcept;

  /// By whoever has done it, on any node. A failure that the operation began with, or that came from elsewhere, is the asker's to
  /// look at: it does not surface here.
  enum class began : bool { before, with_it };
  void answer(const question& q, const failure* cause, base::thread_context& context, began when = began::with_it) noexcept;

  /// `is_answered_here(number)`: somebody here will yet answer it, when what is on its way into memory has come to its end.
  template <class F>
  void lost(rank node, base::thread_context& context, F&& is_answered_here) noexcept {
    for (open& o : take_those_of(node, is_answered_here)) end(std::move(o), job_.loss_of(node), context);
  }

  /// For reports: what the events of questions are, where something waits for them.
  void tell_waits(base::wait_walk& walk) const;

 private:
  struct open {
    event done;
    std::array<rank, 3> parts{};
    std::uint8_t count = 0;
    std::string what;
    std::source_location where;
    std::unique_ptr<sched::profile_state> profile = {};
    back_pressure::share memory = {};
  };
  std::vector<open> take_those_of(rank node, const std::function<bool(std::uint64_t)>& but);
  void on_answer(rank from, reader& content, base::thread_context& context);
  void take(std::uint64_t number, failure_ref cause, base::thread_context& context);
  void end(open&& o, failure_ref cause, base::thread_context& context) noexcept;

  job& job_;
  failures& causes_;
  const message_kind answer_;
  mutable std::mutex lock_;
  std::unordered_map<std::uint64_t, open> open_;
};

}  // namespace stretto::dist
