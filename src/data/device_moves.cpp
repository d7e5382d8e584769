#include "data/device_moves.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "data/device_operation.hpp"
#include "data/order_check.hpp"
#include "data/transfers.hpp"

namespace stretto::data {

namespace {

device::attached_device* device_of(const detail::instance_record& r, const data_state& state) noexcept {
  return is_on_host(r.space) ? nullptr : state.settings.devices->at(r.space->where());
}

place place_of(const detail::instance_record& r) noexcept { return r.space ? r.space->where() : place{}; }

class device_move final : public device_operation {
 public:
  device_move(device::attached_device& on, device::work what, operation_request&& r) noexcept
      : device_operation(on, what, r.kind->shown, r.where), request_(std::move(r)) {}

 private:
  void enqueue(device::stream& s, places::completion& done) override {
    require_alive(request_);
    if (request_.used_count == 1) fill(s, done);
    else copy(s, done);
  }

  void copy(device::stream& s, places::completion& done) {
    std::vector<transfer> all;
    for (std::size_t i = 0; i < request_.box_count; ++i) {
      const auto walk =
          plan(request_.box_at(i), std::array{reach_of(request_.used[0]), reach_of(request_.used[1], request_.shift)});
      auto of_box = transfers_of(walk, place_of(*request_.used[1].record), place_of(*request_.used[0].record));
      if (all.empty()) all = std::move(of_box);
      else all.insert(all.end(), of_box.begin(), of_box.end());
    }
    if (all.empty()) return s.notify(done);
    for (std::size_t i = 0; i < all.size(); ++i)
      s.copy(all[i].source, all[i].target, all[i].shape, i + 1 == all.size() ? &done : nullptr);
  }

  /// The pattern that the device repeats: one byte if all bytes are equal, else the element if devices support its
  /// size; else empty.
  std::span<const std::byte> pattern() const noexcept {
    const std::byte* value = request_.fill_value();
    const std::size_t bytes = request_.used[0].record->shape.element_bytes;
    if (std::all_of(value, value + bytes, [&](std::byte b) { return b == value[0]; })) return {value, 1};
    if (bytes <= 16 && std::has_single_bit(bytes)) return {value, bytes};
    return {};
  }

  void fill(device::stream& s, places::completion& done) {
    // Both operands of the walk are the target: rows and planes are found as for a copy.
    const reach target = reach_of(request_.used[0]);
    const auto walk = plan(request_.first_box, std::array{target, target});
    const auto all = transfers_of(walk, {}, place_of(*request_.used[0].record));
    if (all.empty()) return s.notify(done);
    const std::span<const std::byte> repeated = pattern();
    if (repeated.empty()) return copy_pattern(s, all, done);
    for (std::size_t i = 0; i < all.size(); ++i)
      s.fill(all[i].target, all[i].shape, repeated, i + 1 == all.size() ? &done : nullptr);
  }

  /// For elements that devices cannot repeat: copies one row of them, made on the host, to all rows and planes.
  void copy_pattern(device::stream& s, const std::vector<transfer>& all, places::completion& done) {
    const std::byte* value = request_.fill_value();
    const std::size_t bytes = request_.used[0].record->shape.element_bytes;
    std::size_t longest = 0;
    for (const transfer& t : all) longest = std::max(longest, t.shape.row_bytes);
    row_.resize(longest);
    for (std::size_t at = 0; at < longest; at += bytes) std::memcpy(row_.data() + at, value, bytes);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const places::copy_shape& shape = all[i].shape;
      for (std::size_t p = 0; p < shape.planes; ++p)
        for (std::size_t r = 0; r < shape.rows; ++r) {
          places::copy_end to = all[i].target;
          to.address += p * to.plane_stride + r * to.row_stride;
          const bool last = i + 1 == all.size() && p + 1 == shape.planes && r + 1 == shape.rows;
          s.copy({{}, row_.data(), 0, 0}, to, {shape.row_bytes, 1, 1}, last ? &done : nullptr);
        }
    }
  }

  std::string describe() const override { return data::describe(request_); }
  std::uint64_t amount() const noexcept override {
    const place from = request_.used_count > 1 ? place_of(*request_.used[1].record) : place{};
    return trace::moved(request_.bytes, request_.used_count < 2 ? trace::no_place
                                        : from                  ? static_cast<std::uint16_t>(from.index)
                                                                : trace::program_memory);
  }
  place shown_at() const noexcept override {
    const place p = place_of(*request_.used[0].record);
    return p ? p : place{trace::program_memory};
  }

  const operation_request request_;
  std::vector<std::byte> row_;
};

}  // namespace

device::attached_device* device_of(const operation_request& r, const data_state& state) noexcept {
  if (!state.settings.devices || r.owns_ends || !r.kind->only_moves) return nullptr;
  device::attached_device* const to = device_of(*r.used[0].record, state);
  if (r.used_count == 1) return to;
  device::attached_device* const from = device_of(*r.used[1].record, state);
  if (to && (from == to || is_on_host(r.used[1].record->space))) return to;
  if (to && from && to->is().reaches(from->is())) return to;  // the target's device reads from the other
  return from && is_on_host(r.used[0].record->space) ? from : nullptr;
}

event submit_to_device(operation_request&& r, device::attached_device& on, const preconditions& after,
                       std::span<const event> also, base::thread_context& context) {
  // The race checker does not follow devices: it takes the result as written and ordered.
  if (order_check* const checks = state_of(context).checks) checks->untracked(r);
  const bool is_fill = r.used_count == 1;
  const bool within = is_fill || place_of(*r.used[1].record) == place_of(*r.used[0].record);
  const device::work what = within                                ? device::work::kernel
                            : is_on_host(r.used[0].record->space) ? device::work::to_host
                                                                  : device::work::to_device;
  return device_operation::submit(std::make_unique<device_move>(on, what, std::move(r)), after, also, context);
}

}  // namespace stretto::data
