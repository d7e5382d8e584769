#include "acc/stream_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/context.hpp"
#include "data/device_operation.hpp"

namespace stretto::acc {
namespace {

copy_end end_at(const std::byte* address) {
  copy_end end;
  end.address = const_cast<std::byte*>(address);
  return end;
}

event submit(std::unique_ptr<data::device_operation> one, std::span<const event> behind) {
  return data::device_operation::submit(std::move(one), {}, behind, base::require_current("acc"));
}

class region_launch final : public data::device_operation {
 public:
  region_launch(device::attached_device& on, stream_launch launch)
      : device_operation(on, device::work::kernel, trace::kind::kernel, std::source_location::current()),
        launch_(std::move(launch)) {}

 private:
  void enqueue(device::stream& s, places::completion& done) override {
    s.launch(*launch_.kernel, launch_.range, launch_.arguments, &done);
  }
  void release_resources() noexcept override { launch_.copies.clear(); }
  std::string describe() const override { return fmt::format("the region at {}", launch_.where); }
  std::uint64_t amount() const noexcept override { return static_cast<std::uint64_t>(launch_.range.items()); }
  place shown_at() const noexcept override { return on_.processor(); }

  stream_launch launch_;
};

bool is_release(const transfer& one) { return one.is == transfer::kind::release; }

/// The stream of copies in one direction, or any where there are both.
device::work work_of(const std::vector<transfer>& all) {
  const auto is_to_host = [](const transfer& one) { return one.is == transfer::kind::to_host; };
  if (std::ranges::none_of(all, is_to_host)) return device::work::to_device;
  const bool is_one_way =
      std::ranges::all_of(all, [&](const transfer& one) { return is_to_host(one) || is_release(one); });
  return is_one_way ? device::work::to_host : device::work::kernel;
}

class transfer_list final : public data::device_operation {
 public:
  transfer_list(device::attached_device& on, std::vector<transfer> all, std::function<void(std::byte*)> release)
      : device_operation(on, work_of(all), trace::kind::copy, std::source_location::current()),
        all_(std::move(all)),
        release_(std::move(release)) {}

 private:
  void release_resources() noexcept override {
    for (const transfer& one : all_)
      if (is_release(one)) release_(one.device);
  }
  void enqueue(device::stream& s, places::completion& done) override {
    const auto last = std::find_if_not(all_.rbegin(), all_.rend(), is_release);
    if (last == all_.rend()) return s.notify(done);
    for (const transfer& one : std::span(all_).first(static_cast<std::size_t>(&*last - all_.data())))
      put(s, one, nullptr);
    put(s, *last, &done);
  }

  static void put(device::stream& s, const transfer& one, places::completion* done) {
    constexpr std::byte zero{0};
    const places::copy_shape shape{one.bytes, 1, 1};
    switch (one.is) {
      case transfer::kind::to_device:
      case transfer::kind::within_device: return s.copy(end_at(one.host), end_at(one.device), shape, done);
      case transfer::kind::to_host: return s.copy(end_at(one.device), end_at(one.host), shape, done);
      case transfer::kind::clear: return s.fill(end_at(one.device), shape, {&zero, 1}, done);
      case transfer::kind::write_pointer:
        return s.copy(end_at(reinterpret_cast<const std::byte*>(&one.host)), end_at(one.device),
                      {sizeof one.host, 1, 1}, done);
      case transfer::kind::release: return;
    }
  }

  std::string describe() const override { return "data of a region"; }
  std::uint64_t amount() const noexcept override {
    std::uint64_t bytes = 0;
    for (const transfer& one : all_) bytes += one.bytes;
    return trace::moved(bytes, trace::program_memory);
  }
  place shown_at() const noexcept override { return on_.memory(); }

  const std::vector<transfer> all_;
  const std::function<void(std::byte*)> release_;
};

class plain_copy final : public data::device_operation {
 public:
  plain_copy(device::attached_device& on, std::byte* to, const std::byte* from, std::size_t bytes)
      : device_operation(on, on.is().owns(from) && !on.is().owns(to) ? device::work::to_host : device::work::to_device,
                         trace::kind::copy, std::source_location::current()),
        to_(to),
        from_(from),
        bytes_(bytes) {}

 private:
  void enqueue(device::stream& s, places::completion& done) override {
    s.copy(end_at(from_), end_at(to_), {bytes_, 1, 1}, &done);
  }
  std::string describe() const override { return "a copy"; }
  std::uint64_t amount() const noexcept override { return trace::moved(bytes_, trace::program_memory); }
  place shown_at() const noexcept override { return on_.memory(); }

  std::byte* const to_;
  const std::byte* const from_;
  const std::size_t bytes_;
};

}  // namespace

event start_launch(device::attached_device& on, stream_launch launch, std::span<const event> behind) {
  return submit(std::make_unique<region_launch>(on, std::move(launch)), behind);
}

event start_transfers(device::attached_device& on, std::vector<transfer> all, std::function<void(std::byte*)> release,
                      std::span<const event> behind) {
  return submit(std::make_unique<transfer_list>(on, std::move(all), std::move(release)), behind);
}

event start_copy(device::attached_device& on, std::byte* to, const std::byte* from, std::size_t bytes,
                 std::span<const event> behind) {
  return submit(std::make_unique<plain_copy>(on, to, from, bytes), behind);
}

}  // namespace stretto::acc
