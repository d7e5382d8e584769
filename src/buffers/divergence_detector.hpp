// divergence_detector.hpp - nodes find out whether their programs take the same way, and if not where they part.
//
// Nodes are a tree: each tells its neighbours how many calls its program has made and their hash, when it has nothing else to do and now
// and then. Who has come as far compares. Who finds a difference asks all nodes, with the hashes of its last calls; each answers with
// the first call in which it differs, once it has come as far or is idle, and all are told what came of it.
//
// Threads     those of a listener; explain, end: any.
// Messages    report: up to 3 when a node falls idle, or for 256 calls. Once programs differ: question, answer and verdict, for each node
//             that finds it.
// Memory      64 reports of each neighbour that are ahead of this node.
// Invariants  (1) nothing here waits. (2) a program is accused only where two nodes have both made as many calls and their hashes differ.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/bytes.hpp"
#include "buffers/call_history.hpp"
#include "buffers/divergence_report.hpp"
#include "data/node_talk.hpp"

namespace stretto::buffers {

class agreement final : public data::listener {
 public:
  static constexpr std::uint64_t most_unreported = 256;  // calls
  static constexpr unsigned quiet = 32;                  // polls without a call, after which a node counts as idle
  static constexpr unsigned patience = 512;              // the same for a node that is asked, and may yet come as far

  static constexpr std::uint64_t first_free_word = 4;    // what it says begins with less

  struct ways {
    /// To another node; never waits.
    std::function<void(std::uint32_t to, std::span<const std::byte> words)> say;
    /// The programs differ: told once on every node.
    std::function<void(const parting& d, base::thread_context& context)> differ;
    /// Inside a poll: for how long this node, as it is now, has to be patient besides, nanoseconds; none: no longer.
    std::function<std::uint64_t(const base::thread_context& context)> patience_ns = {};
  };
  agreement(const course& of, std::uint32_t self, std::uint32_t nodes, ways w);

  void heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) override;
  void lost(std::uint32_t node, base::thread_context& context) noexcept override;
  void polled(base::thread_context& context) override;

  /// This node makes no more calls: it is idle, and says so at the next poll, which is before the job can be over. Any thread.
  void end() noexcept { has_ended_.store(true, std::memory_order_release); }

  /// Asks all nodes now; calls `then` once it is known whether they differ. For who has failed and wants to know why.
  void explain(std::function<void()> then, base::thread_context& context);

 private:
  enum class word : std::uint64_t { report, question, answer, verdict };
  struct report {
    std::uint64_t calls = 0, hash = 0;
  };
  struct answer {
    course::comparison is;
    std::uint64_t calls = 0;
    call_of_node call;
  };
  /// What is to be done when the lock is no longer held.
  struct outcome {
    std::optional<parting> found;
    std::vector<std::function<void()>> then;
  };

  bool is_idle() const noexcept { return quiet_polls_ >= quiet || has_ended_.load(std::memory_order_acquire); }
  void tell_neighbours(std::uint64_t calls);
  void look_at_reports(outcome& out);
  bool differs(const report& r) const;
  void suspect(std::uint32_t node, std::uint64_t calls, outcome& out);
  void ask(outcome& out);
  void answer_questions(const base::thread_context& context);
  bool may_come_as_far(std::uint64_t calls, const base::thread_context& context);
  void take_answer(std::uint32_t from, base::reader& words, outcome& out);
  void end_round(outcome& out);
  std::optional<parting> found_by_round() const;
  void conclude(parting d, outcome& out);
  void act(outcome& out, base::thread_context& context);

  const course& course_;
  const std::uint32_t self_, nodes_;
  const ways ways_;
  std::atomic<bool> has_ended_{false};

  std::mutex lock_;  // guards what follows
  std::vector<std::uint32_t> neighbours_;
  std::map<std::uint32_t, std::vector<report>> ahead_;  // of neighbours, ascending
  std::set<std::uint32_t> lost_;
  std::uint64_t seen_ = 0, reported_ = 0;  // calls
  unsigned quiet_polls_ = 0;
  struct question {
    std::uint64_t round = 0;
    course::stretch theirs = {};
  };
  std::map<std::uint32_t, question> questions_;  // of other nodes
  std::uint64_t calls_when_asked_ = 0, quiet_since_ = 0;  // nanoseconds; while there are questions
  std::atomic<bool> is_asked_{false};            // there are some
  bool has_concluded_ = false;
  // Of the question that this node has asked.
  std::uint64_t round_ = 0;
  bool is_asking_ = false;
  course::stretch asked_;
  std::set<std::uint32_t> waits_for_;
  std::map<std::uint32_t, answer> answers_;
  std::optional<std::pair<std::uint32_t, std::uint64_t>> suspect_;  // a node, and after how many calls it differs for certain
  std::vector<std::function<void()>> then_;
};

}  // namespace stretto::buffers
