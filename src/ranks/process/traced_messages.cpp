#include "ranks/process/traced_messages.hpp"

#include <mutex>
#include <unordered_map>

#include "ranks/messages/queue_entry.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/rank_trace.hpp"
#include "trace/clock.hpp"

namespace stretto::ranks {
namespace {

/// The message of another node that this thread delivers; null: none.
thread_local const rank_message* delivered = nullptr;

/// The span that the calling thread is in, or that its call ends.
std::uint64_t span_of_call() {
  if (rank_trace* const own = rank_trace::of_thread()) return own->end_span();
  const auto* const here = sched::this_thread();
  return here ? here->current_id : 0;
}

/// One side of a message.
struct side {
  std::uint64_t span = 0;                // that its call ended
  rank_trace* track = nullptr;           // of a receive; null: none
  trace::name_id name = trace::no_name;  // of a receive
};

side side_of_caller(entry_kind kind) {
  if (delivered) return {delivered->span};
  rank_trace* const own = rank_trace::of_thread();
  if (!own) return {span_of_call()};
  if (kind != entry_kind::receive) return {own->end_span()};
  return {own->end_span(), own, own->name_of_call()};
}

class message_recorder final : public usage_observer {
 public:
  void waits(const queue_entry& entry) override {
    const side made = side_of_caller(entry.kind);
    const std::scoped_lock lock(mutex_);
    waiting_.insert_or_assign(&entry, made);
  }
  void matched(const queue_entry& waited, std::int64_t bytes) override {
    const bool is_receive = waited.kind == entry_kind::receive;
    const side first = taken(waited);
    const side second = side_of_caller(is_receive ? entry_kind::early_message : entry_kind::receive);
    const side &sent = is_receive ? second : first, &received = is_receive ? first : second;
    if (!received.track) return;
    received.track->add({.end = trace::clock::now(),
                         .id = received.span,
                         .cause = sent.span,
                         .amount = static_cast<std::uint64_t>(bytes),
                         .name = received.name,
                         .kind = trace::kind::instant});
  }
  void forgotten(const queue_entry& entry) override { taken(entry); }
  void ends_meeting() override {
    if (rank_trace* const own = rank_trace::of_thread()) own->end_last_span();
  }
  void sends(rank_message& message) override { message.span = delivered ? delivered->span : span_of_call(); }
  void delivers(const rank_message* sent) noexcept override { delivered = sent; }
  void begun_elsewhere(const collective_notice&) override {}

 private:
  side taken(const queue_entry& entry) {
    const std::scoped_lock lock(mutex_);
    const auto found = waiting_.find(&entry);
    if (found == waiting_.end()) return {};
    const side made = found->second;
    waiting_.erase(found);
    return made;
  }

  std::mutex mutex_;
  std::unordered_map<const queue_entry*, side> waiting_;
};

}  // namespace

usage_observer& traced_messages() {
  static auto* const all = new message_recorder;  // ranks may outlive static objects
  return *all;
}

}  // namespace stretto::ranks
