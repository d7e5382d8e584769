#include "ranks/datatypes/device_copies.hpp"

#include <cstring>
#include <utility>

namespace stretto::ranks {

device_copies::used_stream::used_stream(device_copies& by, device_memory& memory)
    : completion(ended), of(by), on(memory), is(memory.make_stream()) {}

void device_copies::used_stream::ended(places::work_item& self) noexcept {
  auto& one = static_cast<used_stream&>(static_cast<places::completion&>(self));
  one.of.end_one(std::move(one.failure));
}

copy_stream& device_copies::stream_of(device_memory& memory) {
  for (used_stream& one : streams_)
    if (&one.on == &memory) return *one.is;
  return *streams_.emplace_back(*this, memory).is;
}

void device_copies::add(const memory_rows& to, const memory_rows& from, std::int64_t bytes, std::int64_t rows) {
  device_memory *const target = device_memory_at(to.first), *const source = device_memory_at(from.first);
  if (!target && !source) {
    for (std::int64_t i = 0; i < rows; ++i)
      std::memcpy(to.first + i * to.distance, from.first + i * from.distance, static_cast<std::size_t>(bytes));
  } else if (!target || (source && source->reaches(*target))) {
    stream_of(*source).copy(to, from, bytes, rows);
  } else if (!source || target->reaches(*source)) {
    stream_of(*target).copy(to, from, bytes, rows);
  } else {
    staged_copy& one =
        staged_.emplace_back(std::vector<std::byte>(static_cast<std::size_t>(bytes * rows)), *target, to, bytes, rows);
    stream_of(*source).copy({one.bytes.data(), bytes}, from, bytes, rows);
  }
}

bool device_copies::begin_second_half() {
  if (staged_.empty()) return false;
  streams_.clear();
  arriving_ = std::exchange(staged_, {});
  for (staged_copy& one : arriving_) stream_of(one.target).copy(one.to, {one.bytes.data(), one.row}, one.row, one.rows);
  return true;
}

void device_copies::finish() {
  do {
    for (used_stream& one : streams_) one.is->finish();
  } while (begin_second_half());
}

void device_copies::start(std::function<void(std::exception_ptr)> end) {
  end_ = std::move(end);
  begin_waiting();
}

/// One more is pending until all streams know of their end.
void device_copies::begin_waiting() {
  pending_.store(streams_.size() + 1, std::memory_order_relaxed);
  for (used_stream& one : streams_) {
    try {
      one.is->notify(one);
    } catch (...) {
      end_one(std::current_exception());
    }
  }
  end_one(nullptr);
}

void device_copies::end_one(std::exception_ptr failure) noexcept {
  if (failure && !has_failed_.exchange(true)) failure_ = std::move(failure);
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (!failure_) {
    try {
      if (begin_second_half()) return begin_waiting();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  const auto end = std::move(end_);
  end(std::move(failure_));
}

void copy_by_drivers(std::byte* to, const std::byte* from, std::int64_t bytes) {
  device_copies one;
  one.add({to, bytes}, {const_cast<std::byte*>(from), bytes}, bytes, 1);
  one.finish();
}

}  // namespace stretto::ranks
