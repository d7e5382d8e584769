#include "ranks/binding/checked_messages.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <stretto/error.hpp>

#include "ranks/binding/checked_collectives.hpp"
#include "ranks/binding/described_call.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/binding/window_check.hpp"
#include "ranks/datatypes/type_signature.hpp"
#include "ranks/messages/queue_entry.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/process/usage_report.hpp"

namespace stretto::ranks::usage_check {
namespace {

enum class side { sender, receiver };

/// The message of another node that this thread delivers; null: none, or a call of its own.
thread_local const rank_message* delivered = nullptr;

/// The arguments of the calling function that concern one side; null if it has none.
const message_arguments* arguments_of(const call_record& call, side which) {
  const call_details& d = call.details;
  if (d.describe == describe_exchange) {
    const auto* const both = static_cast<const exchange_arguments*>(d.arguments);
    return which == side::sender ? &both->sent : &both->received;
  }
  const bool is_known = d.describe == (which == side::sender ? describe_send : describe_receive);
  return is_known ? static_cast<const message_arguments*>(d.arguments) : nullptr;
}

data_of_call data_of_caller(side which) {
  if (delivered) return delivered->described ? described_elsewhere(*delivered->described) : data_of_call{};
  if (!innermost_call || !rank::current()) return {};
  const message_arguments* const a = arguments_of(*innermost_call, which);
  if (!a || a->type == MPI_PACKED) return {};
  return {innermost_description(), a->count, datatype_ref(&object_of(a->type))};
}

void compare_sides(const data_of_call& sent, const data_of_call& received) {
  if (!sent.type || !received.type) return;
  const auto found = compare_signatures(*sent.type, sent.count, *received.type, received.count);
  if (!found) return;
  error e = found->received ? error("R11", "a message has other types than its receive")
                            : error("R12", "a message is longer than its receive");
  e.fact("sent", sent.site.text()).fact("received", received.site.text());
  if (found->received) {
    report_usage(
        std::move(e.because("element " + std::to_string(found->index) + " is sent as " +
                            std::string(found->sent->name) + " and received as " + std::string(found->received->name))
                      .remedy("use the same sequence of basic types on both sides")));
  } else {
    report_usage(std::move(e.because("the receive has place for " + std::to_string(found->index) + " elements")
                               .remedy("receive at least as many elements as are sent; MPI_Probe returns how many")));
  }
}

/// Collects what waits in queues.
class waiting_messages final : public usage_observer {
 public:
  void waits(const queue_entry& entry) override {
    if (is_of_collective(entry)) return;
    data_of_call made = data_of_caller(entry.kind == entry_kind::receive ? side::receiver : side::sender);
    const std::scoped_lock lock(mutex_);
    waiting_.insert_or_assign(&entry, std::move(made));
  }
  void matched(const queue_entry& waited, std::int64_t) override {
    if (is_of_collective(waited)) return;
    const data_of_call first = taken(waited);
    if (!first.type) return;
    if (waited.kind == entry_kind::receive) compare_sides(data_of_caller(side::sender), first);
    else compare_sides(first, data_of_caller(side::receiver));
  }
  void forgotten(const queue_entry& entry) override { taken(entry); }
  void ends_meeting() override {}

  void sends(rank_message& message) override {
    const data_of_call sent = data_of_caller(side::sender);
    if (sent.type) message.described = describe(sent);
  }
  void delivers(const rank_message* sent) noexcept override { delivered = sent; }
  void begun_elsewhere(const collective_notice& notice) override { usage_check::begun_elsewhere(notice); }
  void accessed_elsewhere(const void* window, std::span<const std::byte> described) override {
    usage_check::accessed_elsewhere(window, described);
  }
  void ended_elsewhere(const void* window, int origin, int target) override {
    usage_check::ended_elsewhere(window, origin, target);
  }

 private:
  static bool is_of_collective(const queue_entry& e) { return static_cast<std::uint32_t>(e.match.context()) % 2 == 1; }

  data_of_call taken(const queue_entry& entry) {
    const std::scoped_lock lock(mutex_);
    const auto found = waiting_.find(&entry);
    if (found == waiting_.end()) return {};
    data_of_call data = std::move(found->second);
    waiting_.erase(found);
    return data;
  }

  std::mutex mutex_;
  std::map<const queue_entry*, data_of_call> waiting_;
};

}  // namespace

usage_observer& matched_messages() {
  static auto* const all = new waiting_messages;  // ranks may outlive static objects
  return *all;
}

}  // namespace stretto::ranks::usage_check
