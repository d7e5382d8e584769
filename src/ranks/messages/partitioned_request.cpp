#include "ranks/messages/partitioned_request.hpp"

#include <string>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/messages/point_to_point.hpp"

namespace stretto::ranks {
namespace {

void destroy_partitioned(completion& one) noexcept { delete &static_cast<partitioned_request&>(one); }
std::string describe_partitioned(const completion&) { return "a partitioned message"; }

}  // namespace

const request_kind partitioned_request::kind_of_partitioned{
    {destroy_partitioned, describe_partitioned},
    [](request& r) { static_cast<partitioned_request&>(r).begin(); },
    nullptr,
    nullptr};

partitioned_request::partitioned_request(message_side side, int partitions, request_owner whole,
                                         std::shared_ptr<const void> numbers)
    : request(kind_of_partitioned),
      side_(side),
      partitions_(partitions),
      numbers_(std::move(numbers)),
      is_ready_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(partitions))) {
  whole_.operation = std::move(whole);
  make_persistent();
}

partitioned_request* partitioned_request::of(request& r) noexcept {
  return &r.functions() == &kind_of_partitioned ? static_cast<partitioned_request*>(&r) : nullptr;
}

void partitioned_request::begin() {
  for (int i = 0; i < partitions_; ++i) is_ready_[static_cast<std::size_t>(i)].store(false, std::memory_order_relaxed);
  left_.store(partitions_, std::memory_order_relaxed);
  activate();
  if (side_ == message_side::receive || partitions_ == 0) begin_whole();
}

void partitioned_request::begin_whole() {
  start(*whole_.operation);
  whole_.await(*this, std::move(whole_.operation));
}

void partitioned_request::end_part(request_part<partitioned_request>& whole) noexcept {
  status = whole.operation->status;
  whole.operation->deactivate();
  end();
}

void partitioned_request::check_partition(int partition) const {
  if (partition >= 0 && partition < partitions_) return;
  throw call_error(error_class::argument, "the partition is " + std::to_string(partition) + ", and the message has " +
                                              std::to_string(partitions_));
}

void partitioned_request::ready(int partition) {
  check_partition(partition);
  if (side_ != message_side::send) throw call_error(error_class::request, "the request is none of a send");
  if (!is_active()) throw call_error(error_class::request, "the request is inactive");
  if (is_ready_[static_cast<std::size_t>(partition)].exchange(true, std::memory_order_relaxed))
    throw call_error(error_class::request, "partition " + std::to_string(partition) + " was ready before");
  if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) begin_whole();
}

bool partitioned_request::has_arrived(int partition) const {
  check_partition(partition);
  if (side_ != message_side::receive) throw call_error(error_class::request, "the request is none of a receive");
  return !is_active() || is_done();
}

}  // namespace stretto::ranks
