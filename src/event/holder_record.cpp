#include "event/holder_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <stretto/error.hpp>
#include <utility>

#include "base/context.hpp"
#include "base/driver_threads.hpp"
#include "base/wait_snapshot.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"

namespace stretto::detail {

holder_record::holder_record(const base::runtime_context& runtime, event until, std::string what, std::string who,
                             const std::source_location& since)
    : in_(&runtime.get<event_table>(base::floor_slot::event)->holders) {
  const std::scoped_lock lock(in_->mutex);
  at_ = in_->all.insert(in_->all.end(), {until, std::move(what), std::move(who), ::gettid(), since});
}

holder_record::holder_record(holder_record&& other) noexcept : in_(std::exchange(other.in_, nullptr)), at_(other.at_) {}

holder_record& holder_record::operator=(holder_record&& other) noexcept {
  if (this == &other) return *this;
  end();
  in_ = std::exchange(other.in_, nullptr);
  at_ = other.at_;
  return *this;
}

void holder_record::end() noexcept {
  if (!in_) return;
  const std::scoped_lock lock(in_->mutex);
  in_->all.erase(at_);
  in_ = nullptr;
}

void add_holders(holder_list& list, base::wait_walk& walk) {
  const std::scoped_lock lock(list.mutex);
  for (const auto& one : list.all) {
    if (!walk.has(base::wait_kind::event, one.until.raw())) continue;
    base::wait_node& node = walk[walk.at(base::wait_kind::event, one.until.raw())];
    const std::string thread = base::name_of_thread(one.thread);
    node.name = one.what;
    node.held_by = fmt::format("{} since {}",
                               !one.who.empty() ? one.who
                               : thread.empty() ? "a thread that has ended"
                                                : fmt::format("thread \"{}\" ({})", thread, one.thread),
                               short_location(one.since));
  }
}

}  // namespace stretto::detail
