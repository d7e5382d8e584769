#include "acc/blocking_copies.hpp"

#include <map>
#include <utility>

#include "acc/accelerator_choice.hpp"

namespace stretto::acc {
namespace {

copy_end end_of(const ranks::memory_rows& rows) {
  copy_end end;
  end.address = rows.first;
  end.row_stride = static_cast<std::size_t>(rows.distance);
  return end;
}

/// Ranks that share a device share the object.
struct copies_table {
  std::mutex mutex;
  std::map<const device::device*, std::weak_ptr<blocking_copies>> all;
};

}  // namespace

std::shared_ptr<blocking_copies> blocking_copies::of(device::device& on) {
  static copies_table table;
  const std::scoped_lock lock(table.mutex);
  std::weak_ptr<blocking_copies>& known = table.all[&on];
  std::shared_ptr<blocking_copies> one = known.lock();
  if (!one) known = one = std::make_shared<blocking_copies>(on);
  return one;
}

blocking_copies::blocking_copies(device::device& on) : on_(on), is_direct_(is_switched_on("STRETTO_ACC_DIRECT")) {
  ranks::add_device_memory(on.memory(), on.about().memory_bytes, *this);
}

blocking_copies::~blocking_copies() { ranks::remove_device_memory(on_.memory(), *this); }

std::unique_ptr<device::stream> blocking_copies::idle_stream() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<device::stream> one = std::move(idle_.back());
      idle_.pop_back();
      return one;
    }
  }
  return on_.make_stream();
}

void blocking_copies::copy(const ranks::memory_rows& to, const ranks::memory_rows& from, std::int64_t bytes,
                           std::int64_t rows) {
  std::unique_ptr<device::stream> stream = idle_stream();
  stream->copy(end_of(from), end_of(to), {static_cast<std::size_t>(bytes), static_cast<std::size_t>(rows), 1}, nullptr);
  stream->finish();
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(stream));
}

bool blocking_copies::reaches(const ranks::device_memory& other) const {
  const auto* const one = dynamic_cast<const blocking_copies*>(&other);
  return is_direct_ && one && on_.reaches(one->on_);
}

}  // namespace stretto::acc
