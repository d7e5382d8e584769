// upcxx_atomic_domain.hpp - atomic operations on elements of other processes.
//
//     upcxx_atomic_domain<long> counters(*pgas, {upcxx::atomic_op::fetch_add, upcxx::atomic_op::load});
//     const long ticket = counters.fetch_add(next_ticket, 1).get();
//     counters.destroy().get();
#pragma once

#include <stretto_upcxx/upcxx_module.hpp>

#include <vector>

namespace stretto {

/// Operations on type T, a number of 4 or 8 bytes, at members of a team. An operation must be among those that the
/// domain was made with.
template <class T>
class upcxx_atomic_domain {
 public:
  using pointer = ::upcxx::global_ptr<T>;

  /// Collective; suspends until all members have made it.
  explicit upcxx_atomic_domain(upcxx_module& by, std::vector<::upcxx::atomic_op> operations,
                               const ::upcxx::team& team = ::upcxx::world())
      : by_(by),
        team_(team),
        is_(by.collective(
                  team, [&] { return std::make_shared<::upcxx::atomic_domain<T>>(operations, team); },
                  upcxx_detail::entry::when_all_have_arrived)
                .get()) {}
  /// Collective: ends the domain. Without it, UPC++ keeps its memory until the process ends.
  future<void> destroy() {
    return by_.collective(team_, [is = is_] { is->destroy(); }, upcxx_detail::entry::when_all_have_arrived);
  }

  future<T> load(pointer at) {
    return perform([=](const auto& d, auto order) { return d.load(at, order); });
  }
  future<void> store(pointer at, T value) {
    return perform([=](const auto& d, auto order) { return d.store(at, value, order); });
  }
  /// Writes `value` if `expected` is there; the value that was there.
  future<T> compare_exchange(pointer at, T expected, T value) {
    return perform([=](const auto& d, auto order) { return d.compare_exchange(at, expected, value, order); });
  }
  future<void> add(pointer at, T value) {
    return perform([=](const auto& d, auto order) { return d.add(at, value, order); });
  }
  future<T> fetch_add(pointer at, T value) {
    return perform([=](const auto& d, auto order) { return d.fetch_add(at, value, order); });
  }
  future<T> fetch_min(pointer at, T value) {
    return perform([=](const auto& d, auto order) { return d.fetch_min(at, value, order); });
  }
  future<T> fetch_max(pointer at, T value) {
    return perform([=](const auto& d, auto order) { return d.fetch_max(at, value, order); });
  }
  future<T> fetch_bit_and(pointer at, T value)
    requires std::is_integral_v<T>
  {
    return perform([=](const auto& d, auto order) { return d.fetch_bit_and(at, value, order); });
  }
  future<T> fetch_bit_or(pointer at, T value)
    requires std::is_integral_v<T>
  {
    return perform([=](const auto& d, auto order) { return d.fetch_bit_or(at, value, order); });
  }
  future<T> fetch_bit_xor(pointer at, T value)
    requires std::is_integral_v<T>
  {
    return perform([=](const auto& d, auto order) { return d.fetch_bit_xor(at, value, order); });
  }

  /// Any other operation: `call(domain, memory_order)` returns a future of UPC++.
  template <class Call>
  auto perform(Call call) {
    by_.counts().atomics.add(1, {}, sizeof(T));
    return by_.start([is = is_.get(), call] { return call(*is, std::memory_order_acq_rel); });
  }

 private:
  upcxx_module& by_;
  const ::upcxx::team& team_;
  std::shared_ptr<::upcxx::atomic_domain<T>> is_;
};

}  // namespace stretto
