#include "acc/message_streams.hpp"

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
struct streams_table {
  std::mutex mutex;
  std::map<const device::attached_device*, std::weak_ptr<message_streams>> all;
};

}  // namespace

/// Goes back to the idle ones.
class message_streams::lent_stream final : public ranks::copy_stream {
 public:
  explicit lent_stream(std::shared_ptr<message_streams> of) : of_(std::move(of)), is_(of_->idle_stream()) {}
  ~lent_stream() override {
    try {
      if (has_copies_) is_->finish();
      const std::scoped_lock lock(of_->mutex_);
      of_->idle_.push_back(std::move(is_));
    } catch (...) {  // the device has failed, or there is no memory: the stream ends
    }
  }

  void copy(const ranks::memory_rows& to, const ranks::memory_rows& from, std::int64_t bytes,
            std::int64_t rows) override {
    has_copies_ = true;
    is_->copy(end_of(from), end_of(to), {static_cast<std::size_t>(bytes), static_cast<std::size_t>(rows), 1}, nullptr);
  }
  void notify(places::completion& done) override {
    has_copies_ = false;  // first, since the end may destroy this object
    try {
      of_->on_.notify(*is_, done);
    } catch (...) {
      has_copies_ = true;
      throw;
    }
  }
  void finish() override {
    has_copies_ = false;
    is_->finish();
  }

 private:
  const std::shared_ptr<message_streams> of_;
  std::unique_ptr<device::stream> is_;
  bool has_copies_ = false;  // for whose end nobody waits
};

std::shared_ptr<message_streams> message_streams::of(device::attached_device& on) {
  static streams_table table;
  const std::scoped_lock lock(table.mutex);
  std::weak_ptr<message_streams>& known = table.all[&on];
  std::shared_ptr<message_streams> one = known.lock();
  if (!one) known = one = std::make_shared<message_streams>(on);
  return one;
}

message_streams::message_streams(device::attached_device& on)
    : on_(on), is_direct_(is_switched_on("STRETTO_ACC_DIRECT")) {
  ranks::add_device_memory(on.is().memory(), on.is().about().memory_bytes, *this);
}

message_streams::~message_streams() { ranks::remove_device_memory(on_.is().memory(), *this); }

std::unique_ptr<device::stream> message_streams::idle_stream() {
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

std::unique_ptr<ranks::copy_stream> message_streams::make_stream() {
  return std::make_unique<lent_stream>(shared_from_this());
}

bool message_streams::reaches(const ranks::device_memory& other) const {
  const auto* const one = dynamic_cast<const message_streams*>(&other);
  return is_direct_ && one && on_.is().reaches(one->on_.is());
}

}  // namespace stretto::acc
