#include "device/sim/timeline.hpp"

#include <algorithm>

namespace stretto::device::sim {

std::size_t timeline::add_stream() {
  streams_.emplace_back();
  return streams_.size() - 1;
}

void timeline::remove_stream(std::size_t stream) noexcept { streams_[stream] = {}; }

void timeline::enqueue(std::size_t stream, timed_operation op, double now) {
  // Operations that ended before release their engines first.
  while (!under_way_.empty() && under_way_.top().ends_at <= now) end_first();
  op.enqueued_at = now;
  streams_[stream].waiting.push_back(std::move(op));
  begin_ready_operations();
}

// Among the first operations of all streams, the one that can begin earliest takes its engines; ties go to the lower
// stream.
void timeline::begin_ready_operations() {
  for (;;) {
    std::size_t first = streams_.size();
    double first_begin = 0;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const one_stream& s = streams_[i];
      if (s.busy || s.waiting.empty()) continue;
      const timed_operation& op = s.waiting.front();
      if (op.waits_for && !op.waits_for->passed_at) continue;
      double begin = std::max(op.enqueued_at, s.free_at);
      if (op.waits_for) begin = std::max(begin, *op.waits_for->passed_at);
      if (op.on) begin = std::max(begin, op.on->free_at);
      if (op.also_on) begin = std::max(begin, op.also_on->free_at);
      if (first == streams_.size() || begin < first_begin) first = i, first_begin = begin;
    }
    if (first == streams_.size()) return;
    one_stream& s = streams_[first];
    const timed_operation& op = s.waiting.front();
    const double end = first_begin + op.seconds;
    if (op.on) op.on->free_at = end;
    if (op.also_on) op.also_on->free_at = end;
    s.busy = true;
    under_way_.push({end, begun_++, first});
  }
}

void timeline::end_first() {
  const under_way ended = under_way_.top();
  under_way_.pop();
  one_stream& s = streams_[ended.stream];
  const timed_operation op = std::move(s.waiting.front());
  s.waiting.pop_front();
  s.busy = false;
  s.free_at = ended.ends_at;
  ++s.unreported;
  ended_.push_back({ended.ends_at, op.id, ended.stream});
  if (op.marks) op.marks->passed_at = ended.ends_at;
  begin_ready_operations();
}

std::optional<double> timeline::next_end() const {
  if (!ended_.empty()) return ended_.front().at;
  if (under_way_.empty()) return {};
  return under_way_.top().ends_at;
}

std::optional<std::uint64_t> timeline::take_next_ended(double now) {
  if (ended_.empty() && !under_way_.empty() && under_way_.top().ends_at <= now) end_first();
  if (ended_.empty() || ended_.front().at > now) return {};
  const reported_end first = ended_.front();
  ended_.pop_front();
  --streams_[first.stream].unreported;
  return first.id;
}

}  // namespace stretto::device::sim
