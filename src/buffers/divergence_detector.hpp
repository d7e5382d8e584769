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

class divergence_detector final : public data::listener {
 public:
  static constexpr std::uint64_t most_unreported = 256;  // calls
  static constexpr unsigned idle_polls = 32;                  // polls without a call, after which a node counts as idle
  static constexpr unsigned patience_polls = 512;              // the same for a node that is asked, and may yet come as far

  static constexpr std::uint64_t first_free_kind = 4;    // what it says begins with less

  struct callbacks {
    /// To another node; never waits.
    std::function<void(std::uint32_t to, std::span<const std::byte> words)> send;
    /// The programs differ: told once on every node.
    std::function<void(const divergence_report& d, base::thread_context& context)> on_divergence;
    /// Inside a poll: for how long this node, as it is now, has to be patient besides, nanoseconds; none: no longer.
    std::function<std::uint64_t(const base::thread_context& context)> patience_ns = {};
  };
  divergence_detector(const call_history& of, std::uint32_t self, std::uint32_t nodes, callbacks c);

  void heard(std::uint32_t from, std::span<const std::byte> words, base::thread_context& context) override;
  void lost(std::uint32_t node, base::thread_context& context) noexcept override;
  void polled(base::thread_context& context) override;

  /// This node makes no more calls: it is idle, and says so at the next poll, which is before the job can be over. Any thread.
  void end() noexcept { has_ended_.store(true, std::memory_order_release); }

  /// Asks all nodes now; calls `then` once it is known whether they differ. For who has failed and wants to know why.
  void request_verdict(std::function<void()> then, base::thread_context& context);

 private:
  enum class message_kind : std::uint64_t { report, query, reply, verdict };
  struct report {
    std::uint64_t calls = 0, hash = 0;
  };
  struct reply {
    call_history::comparison is;
    std::uint64_t calls = 0;
    call_of_node call;
  };
  /// What is to be done when the lock is no longer held.
  struct deferred_actions {
    std::optional<divergence_report> found;
    std::vector<std::function<void()>> then;
  };

  bool is_idle() const noexcept { return polls_without_call_ >= idle_polls || has_ended_.load(std::memory_order_acquire); }
  void report_to_neighbours(std::uint64_t calls);
  void compare_reports(deferred_actions& out);
  bool differs(const report& r) const;
  void suspect(std::uint32_t node, std::uint64_t calls, deferred_actions& out);
  void send_queries(deferred_actions& out);
  void reply_to_queries(const base::thread_context& context);
  bool may_catch_up(std::uint64_t calls, const base::thread_context& context);
  void receive_reply(std::uint32_t from, base::reader& words, deferred_actions& out);
  void end_round(deferred_actions& out);
  std::optional<divergence_report> divergence_found() const;
  void conclude(divergence_report d, deferred_actions& out);
  void run_deferred(deferred_actions& out, base::thread_context& context);

  const call_history& history_;
  const std::uint32_t self_, nodes_;
  const callbacks callbacks_;
  std::atomic<bool> has_ended_{false};

  std::mutex lock_;  // guards what follows
  std::vector<std::uint32_t> neighbours_;
  std::map<std::uint32_t, std::vector<report>> ahead_;  // of neighbours, ascending
  std::set<std::uint32_t> failed_nodes_;
  std::uint64_t seen_ = 0, reported_ = 0;  // calls
  unsigned polls_without_call_ = 0;
  struct query {
    std::uint64_t round = 0;
    call_history::hash_window theirs = {};
  };
  std::map<std::uint32_t, query> queries_;  // of other nodes
  std::uint64_t calls_when_queried_ = 0, idle_since_ns_ = 0;  // nanoseconds; while there are questions
  std::atomic<bool> has_queries_{false};            // there are some
  bool has_concluded_ = false;
  // Of the question that this node has asked.
  std::uint64_t round_ = 0;
  bool is_querying_ = false;
  call_history::hash_window queried_;
  std::set<std::uint32_t> awaited_;
  std::map<std::uint32_t, reply> replies_;
  std::optional<std::pair<std::uint32_t, std::uint64_t>> suspect_;  // a node, and after how many calls it differs for certain
  std::vector<std::function<void()>> then_;
};

}  // namespace stretto::buffers
