#include "acc/rank_context.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "acc/accelerator_choice.hpp"
#include "acc/node_accelerators.hpp"
#include "base/recent_lookups.hpp"
#include "ranks/process/rank.hpp"
#include "ranks/thread_identity.hpp"

namespace stretto::acc {
namespace {

struct context_table {
  std::mutex mutex;
  std::unordered_map<const ranks::program_copy*, std::unique_ptr<rank_context>> all;
  std::atomic<std::uint64_t> version{1};
};

/// Never destroyed: the device of a rank that has not ended needs the runtime, which is gone when static objects end.
context_table& contexts() {
  static auto* const all = new context_table;
  return *all;
}

const ranks::program_copy* program_of_thread() {
  const ranks::thread_identity* const identity = ranks::identity_of_thread();
  return identity ? identity->copy : nullptr;
}

std::unique_ptr<accelerator> make_accelerator() {
  ranks::rank* const rank = ranks::rank::current();
  const int position = rank ? rank->node().map().position_on_node(rank->number()) : 0;
  return open_accelerator(static_cast<std::size_t>(position));
}

bool is_small(const std::vector<transfer>& all) {
  std::size_t bytes = 0;
  for (const transfer& one : all) bytes += one.bytes;
  return bytes <= 64 * 1024;
}

}  // namespace

rank_context::rank_context(std::unique_ptr<accelerator> on)
    : device_(std::move(on)), has_queues_(is_switched_on("STRETTO_ACC_QUEUES")) {}

static rank_context* find_or_make(const ranks::program_copy* of) {
  context_table& table = contexts();
  const std::scoped_lock lock(table.mutex);
  std::unique_ptr<rank_context>& one = table.all[of];
  if (!one) one = std::make_unique<rank_context>(make_accelerator());
  return one.get();
}

[[gnu::noinline]] rank_context& rank_context::current() {  // its caller may suspend, and call it on another thread
  static constinit thread_local base::recent_lookups<const ranks::program_copy, rank_context> recent;
  const ranks::program_copy* const of = program_of_thread();
  return *recent.find(of, contexts().version.load(std::memory_order_acquire), [&] { return find_or_make(of); });
}

void rank_context::end_current() {
  context_table& table = contexts();
  std::unique_ptr<rank_context> ended;
  {
    const std::scoped_lock lock(table.mutex);
    const auto found = table.all.find(program_of_thread());
    if (found == table.all.end()) return;
    ended = std::move(found->second);
    table.all.erase(found);
    table.version.fetch_add(1, std::memory_order_release);
  }
  ended->queues().wait_for_all();
}

void rank_context::perform(queue_number queue, const char* where, data_work work) {
  for (const int one : work.queues) {
    if (queue) queues_.make_wait(*queue, {&one, 1});
    else queues_.wait_for(one);
  }
  if (work.transfers.empty()) return;
  // A queue that is idle may do at once what costs less than a task. The host may then change what was copied, as
  // programs expect that know CUDA's copies of ordinary memory.
  if (queue && queues_.has_ended(*queue) && is_small(work.transfers)) queue.reset();
  if (!queue) return device_->perform(work.transfers);
  queues_.start(*queue, {"data", where},
                [&](std::span<const event> behind) { return device_->start(std::move(work.transfers), behind); });
}

queue_number rank_context::queue_of(int asked) const noexcept {
  if (asked == acc_async_sync || !has_queues_) return std::nullopt;
  return asked == acc_async_noval || asked == acc_async_default ? default_queue_ : asked;
}

void rank_context::set_default_queue(int queue) noexcept { default_queue_ = queue == acc_async_default ? 0 : queue; }

}  // namespace stretto::acc
