// shmem_module.hpp - OpenSHMEM as a module: symmetric memory, and its calls as functions that return futures.
//
//     auto pes = std::make_shared<stretto::shmem_module>();
//     stretto::runtime rt({.modules = {pes}});
//     rt.run([&] {
//       long* const mail = pes->allocate<long>(1).get();
//       pes->put(mail, 7L, (pes->pe() + 1) % pes->pes());
//       pes->async_when(mail, shmem::comparison::not_equal, 0L, [=] { std::printf("%ld\n", *mail); }).get();
//     });
//
// Threads     any thread of the runtime calls any member. One of them at a time is inside the library.
// Memory      the elements that a condition announces are visible to its tasks. Memory belongs to a call until its
//             future is ready.
// Cost        a put, get or atomic: the library's own cost and a lock. A poll compares at most 1024 elements that
//             conditions wait for, more if polls are rare. No polls while nothing is pending.
// Invariants  (1) whoever initialises OpenSHMEM finalises it. (2) a call without preconditions has started when its
//             function returns, in the order of the program. (3) no task blocks its worker while others are waited for:
//             a collective call enters the library once all PEs have made it.
// Source      async_when, and calls as tasks: HiPER's OpenSHMEM module (Grossman et al.).
#pragma once

#include <shmem.h>
#include <stretto/module.hpp>
#include <stretto/stretto.hpp>
#include <stretto_shmem/atomics.hpp>
#include <stretto_shmem/comparison.hpp>
#include <stretto_shmem/reductions.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>

namespace stretto {

namespace shmem {
class engine;

/// Elements that OpenSHMEM moves as bytes.
template <class T>
concept element = std::is_trivially_copyable_v<T>;
}  // namespace shmem

struct shmem_options {
  bool is_started = false;  // the program has called shmem_init_thread, and calls shmem_finalize itself
};

class shmem_module final : public module {
 public:
  explicit shmem_module(const shmem_options& options = {});
  ~shmem_module() override;

  /// The number of this process, from 0, and how many there are. Both 0 if no runtime uses the module.
  int pe() const noexcept { return pe_; }
  int pes() const noexcept { return pes_; }

  // ---- symmetric memory; collective calls

  /// Memory for n elements on every PE, at an address that stands for all of them; its bytes are 0. Poisoned with M32
  /// if the library has no more: SHMEM_SYMMETRIC_SIZE is what it takes at the start.
  template <shmem::element T>
  future<T*> allocate(std::size_t n, std::source_location where = std::source_location::current()) {
    return allocated_as<T>(n * sizeof(T), where);
  }
  /// Frees what allocate returned, once all PEs ask for it.
  future<void> free(void* symmetric, std::source_location where = std::source_location::current());

  // ---- put and get. `tags` may be after(...), name(...) and others of async, as the last arguments.

  /// Copies the elements to this address at PE `to`. Ready when `from` may be used again; quiet() waits until they are
  /// there. Throws or is poisoned with M31 if there is no such PE.
  template <shmem::element T, class... Tags>
  future<void> put(T* symmetric, std::span<const std::type_identity_t<T>> from, int to, Tags&&... tags) {
    return perform(
        counts_.puts, from.size_bytes(), [=] { shmem_putmem(symmetric, from.data(), from.size_bytes(), to); }, to,
        tags...);
  }
  /// The same with one element, of which the call has a copy.
  template <shmem::element T, class... Tags>
  future<void> put(T* symmetric, const std::type_identity_t<T>& value, int to, Tags&&... tags) {
    return perform(counts_.puts, sizeof(T), [=] { shmem_putmem(symmetric, &value, sizeof(T), to); }, to, tags...);
  }
  /// A put, and behind it an atomic write of `value` to `signal` there: who waits for that finds the elements.
  template <shmem::element T, class... Tags>
  future<void> put_signal(T* symmetric, std::span<const std::type_identity_t<T>> from, unsigned long* signal,
                          unsigned long value, int to, Tags&&... tags) {
    return perform(
        counts_.puts, from.size_bytes() + sizeof *signal,
        [=] {
          shmem_putmem(symmetric, from.data(), from.size_bytes(), to);
          shmem_fence();
          shmem_ulong_atomic_set(signal, value, to);
        },
        to, tags...);
  }
  /// Copies the elements at this address of PE `from` into `into`.
  template <shmem::element T, class... Tags>
  future<void> get(std::span<T> into, const std::type_identity_t<T>* symmetric, int from, Tags&&... tags) {
    return perform(
        counts_.gets, into.size_bytes(), [=] { shmem_getmem(into.data(), symmetric, into.size_bytes(), from); }, from,
        tags...);
  }
  /// The element at this address of PE `from`.
  template <shmem::element T, class... Tags>
  future<T> get(const T* symmetric, int from, Tags&&... tags) {
    return perform(
        counts_.gets, sizeof(T),
        [=] {
          T value;
          shmem_getmem(&value, symmetric, sizeof value, from);
          return value;
        },
        from, tags...);
  }
  /// Every `stride`-th element there from every `from_stride`-th one here, n in all.
  template <shmem::element T, class... Tags>
  future<void> put_strided(T* symmetric, std::ptrdiff_t stride, const std::type_identity_t<T>* from,
                           std::ptrdiff_t from_stride, std::size_t n, int to, Tags&&... tags) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "elements of strided calls have 4 or 8 bytes");
    return perform(
        counts_.puts, n * sizeof(T),
        [=] {
          if constexpr (sizeof(T) == 8) shmem_iput64(symmetric, from, stride, from_stride, n, to);
          else shmem_iput32(symmetric, from, stride, from_stride, n, to);
        },
        to, tags...);
  }
  /// Every `into_stride`-th element here from every `stride`-th one there, n in all.
  template <shmem::element T, class... Tags>
  future<void> get_strided(T* into, std::ptrdiff_t into_stride, const std::type_identity_t<T>* symmetric,
                           std::ptrdiff_t stride, std::size_t n, int from, Tags&&... tags) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "elements of strided calls have 4 or 8 bytes");
    return perform(
        counts_.gets, n * sizeof(T),
        [=] {
          if constexpr (sizeof(T) == 8) shmem_iget64(into, symmetric, into_stride, stride, n, from);
          else shmem_iget32(into, symmetric, into_stride, stride, n, from);
        },
        from, tags...);
  }

  /// Ready when all earlier puts and atomics of this PE have happened at their targets.
  template <class... Tags>
  future<void> quiet(Tags&&... tags) {
    return perform({}, 0, [] { shmem_quiet(); }, pe_, tags...);
  }
  /// Later puts and atomics to a PE happen behind the earlier ones to it.
  template <class... Tags>
  future<void> fence(Tags&&... tags) {
    return perform({}, 0, [] { shmem_fence(); }, pe_, tags...);
  }

  // ---- atomics at PE `at`, of the types of OpenSHMEM with that name: shmem::has_arithmetic, shmem::has_exchange

  template <shmem::has_exchange T, class... Tags>
  future<T> atomic_fetch(const T* symmetric, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { return shmem::atomics<T>::fetch(symmetric, at); }, at, tags...);
  }
  template <shmem::has_exchange T, class... Tags>
  future<void> atomic_set(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { shmem::atomics<T>::set(symmetric, value, at); }, at, tags...);
  }
  template <shmem::has_exchange T, class... Tags>
  future<T> atomic_swap(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { return shmem::atomics<T>::swap(symmetric, value, at); }, at, tags...);
  }
  /// Writes `value` if `expected` is there; the value that was there.
  template <shmem::has_arithmetic T, class... Tags>
  future<T> atomic_compare_swap(T* symmetric, std::type_identity_t<T> expected, std::type_identity_t<T> value, int at,
                                Tags&&... tags) {
    return perform_atomic<T>([=] { return shmem::atomics<T>::compare_swap(symmetric, expected, value, at); }, at,
                             tags...);
  }
  template <shmem::has_arithmetic T, class... Tags>
  future<void> atomic_add(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { shmem::atomics<T>::add(symmetric, value, at); }, at, tags...);
  }
  template <shmem::has_arithmetic T, class... Tags>
  future<T> atomic_fetch_add(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { return shmem::atomics<T>::fetch_add(symmetric, value, at); }, at, tags...);
  }

  // The same with bits, of integers without a sign, and those of 32 and 64 bits with one: shmem::has_bits.
  template <shmem::has_bits T, class... Tags>
  future<void> atomic_and(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { shmem::bit_atomics<T>::and_with(symmetric, value, at); }, at, tags...);
  }
  template <shmem::has_bits T, class... Tags>
  future<T> atomic_fetch_and(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    const auto change = [=](T old) { return static_cast<T>(old & value); };
    return perform_atomic<T>([=] { return shmem::fetch_and_change(symmetric, change, at); }, at, tags...);
  }
  template <shmem::has_bits T, class... Tags>
  future<void> atomic_or(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { shmem::bit_atomics<T>::or_with(symmetric, value, at); }, at, tags...);
  }
  template <shmem::has_bits T, class... Tags>
  future<T> atomic_fetch_or(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    const auto change = [=](T old) { return static_cast<T>(old | value); };
    return perform_atomic<T>([=] { return shmem::fetch_and_change(symmetric, change, at); }, at, tags...);
  }
  template <shmem::has_bits T, class... Tags>
  future<void> atomic_xor(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    return perform_atomic<T>([=] { shmem::bit_atomics<T>::xor_with(symmetric, value, at); }, at, tags...);
  }
  template <shmem::has_bits T, class... Tags>
  future<T> atomic_fetch_xor(T* symmetric, std::type_identity_t<T> value, int at, Tags&&... tags) {
    const auto change = [=](T old) { return static_cast<T>(old ^ value); };
    return perform_atomic<T>([=] { return shmem::fetch_and_change(symmetric, change, at); }, at, tags...);
  }

  // ---- conditions on this PE's own memory, which puts and atomics of others make true

  /// Triggers once `*symmetric how value` holds. Poisoned with M40 if the runtime ends before.
  template <shmem::has_arithmetic T>
  event when(const T* symmetric, shmem::comparison how, std::type_identity_t<T> value,
             std::source_location where = std::source_location::current()) {
    return add_condition(condition_of(symmetric, how, value), where);
  }
  /// Runs the task once the condition holds; its future. The condition becomes a part of the task's name, which reports
  /// of hangs show.
  template <shmem::has_arithmetic T, class Body>
  auto async_when(const T* symmetric, shmem::comparison how, std::type_identity_t<T> value, Body&& body,
                  task_name named = {}, std::source_location where = std::source_location::current()) {
    const shmem::condition c = condition_of(symmetric, how, value);
    const std::string text = (named.text.empty() ? "" : std::string(named.text) + ": ") + to_string(c);
    return async(after(add_condition(c, where)), stretto::name(text), std::forward<Body>(body), where);
  }
  /// Suspends the calling task until the condition holds.
  template <shmem::has_arithmetic T>
  void wait_until(const T* symmetric, shmem::comparison how, std::type_identity_t<T> value,
                  std::source_location where = std::source_location::current()) {
    async_when(symmetric, how, value, [] {}, {}, where).get(where);
  }

  // ---- locks

  /// Ready when this PE has the lock, a long of symmetric memory that is 0 at first. Tasks of one PE share it.
  future<void> lock(long* symmetric, std::source_location where = std::source_location::current());
  /// Returns the lock, behind all that this PE has put.
  void unlock(long* symmetric);

  // ---- collective calls: all PEs make them, in one order

  /// Ready when all PEs have called it, and what they had put before is there.
  future<void> barrier(std::source_location where = std::source_location::current());
  /// Copies the elements at `from` of PE `root` to `into` of all PEs, of the root, too.
  template <shmem::element T>
  future<void> broadcast(T* into, const std::type_identity_t<T>* from, std::size_t n, int root,
                         std::source_location where = std::source_location::current()) {
    return broadcast_bytes(into, from, n * sizeof(T), root, where);
  }
  /// Element by element the sum, product, least or greatest value, or bits, of all PEs. `into` and `from` are
  /// symmetric.
  template <shmem::operation Op, class T>
    requires shmem::has_reduction<Op, T>
  future<void> reduce(T* into, const std::type_identity_t<T>* from, std::size_t n,
                      std::source_location where = std::source_location::current()) {
    return collective(
        [=, this] {
          shmem::reduction<Op, T>::call(into, from, static_cast<int>(n), pes_, scratch(n * sizeof(T)), sync_);
        },
        where);
  }
  /// The n elements at `from` of each PE, one PE behind the other, at `into` of all.
  template <shmem::element T>
  future<void> collect(T* into, const std::type_identity_t<T>* from, std::size_t n,
                       std::source_location where = std::source_location::current()) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "elements of collect have 4 or 8 bytes");
    return collective(
        [=, this] {
          if constexpr (sizeof(T) == 8) shmem_collect64(into, from, n, 0, 0, pes_, sync_);
          else shmem_collect32(into, from, n, 0, 0, pes_, sync_);
        },
        where);
  }
  /// n elements from each PE to each: those for PE p are at from + p * n, those of p come to into + p * n.
  template <shmem::element T>
  future<void> alltoall(T* into, const std::type_identity_t<T>* from, std::size_t n,
                        std::source_location where = std::source_location::current()) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "elements of alltoall have 4 or 8 bytes");
    return collective(
        [=, this] {
          if constexpr (sizeof(T) == 8) shmem_alltoall64(into, from, n, 0, 0, pes_, sync_);
          else shmem_alltoall32(into, from, n, 0, 0, pes_, sync_);
        },
        where);
  }

  /// For calls of OpenSHMEM that are not here: no other task is inside the library while the returned lock is held.
  std::unique_lock<std::mutex> calling() const;

  std::string_view name() const noexcept override { return "shmem"; }
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 private:
  template <class Call, class... Tags>
  auto perform(statistic counted, std::size_t bytes, Call call, int pe, Tags&&... tags);
  template <class T, class Call, class... Tags>
  auto perform_atomic(Call call, int pe, Tags&&... tags) {
    return perform(counts_.atomics, sizeof(T), std::move(call), pe, tags...);
  }
  template <class T>
  future<T*> allocated_as(std::size_t bytes, const std::source_location& where);
  future<void> broadcast_bytes(void* into, const void* from, std::size_t bytes, int root,
                               const std::source_location& where);
  future<void> collective(std::function<void()> call, const std::source_location& where);
  template <class T>
  static shmem::condition condition_of(const T* at, shmem::comparison how, T value) noexcept {
    return {at, sizeof(T), std::is_signed_v<T>, how, static_cast<std::uint64_t>(value)};
  }
  event add_condition(const shmem::condition& c, const std::source_location& where);
  void check(int pe) const;
  void* zeroed(std::size_t bytes, const std::source_location& where) const;
  void* scratch(std::size_t bytes);

  struct counted_calls {
    statistic puts, gets, atomics;
  };

  const shmem_options options_;
  counted_calls counts_;
  std::shared_ptr<shmem::engine> engine_;
  future<void> done_;  // of calls that have happened
  int pe_ = 0, pes_ = 0;
  long* sync_ = nullptr;  // of collective calls of the library
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace stretto

#include <stretto_shmem/module_templates.hpp>
