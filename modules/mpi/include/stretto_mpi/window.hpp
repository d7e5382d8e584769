// window.hpp - memory that all processes of a communicator can read and write without the other's doing: one-sided
// calls.
//
// A window is open from its making to its end (MPI_Win_lock_all): any call, at any time. A put or an accumulate is
// ready when its memory may be used again; at the target it is done after a flush, and seen there after a fence.
//
// Threads     any thread of the runtime.
// Memory      what was put before a fence is visible to who waited for the fence, on every process.
// Cost        MPI's. It has no immediate form of making a window, of flush and of compare-and-swap: these wait inside
//             MPI, which holds up the worker for as long as a message goes there and back.
// Invariants  (1) offsets count elements of the type that the window was made of.
#pragma once

#include <stretto_mpi/collectives.hpp>

namespace stretto::mpi {

/// A value: copies mean the same window, which ends with free().
class window {
 public:
  window() noexcept = default;
  MPI_Win raw() const noexcept { return is_; }

  /// This process's own part.
  template <element T>
  std::span<T> local() const noexcept {
    return {static_cast<T*>(memory_), bytes_ / sizeof(T)};
  }

  // ---- immediate, elements of C++: of the window's own type

  template <elements R>
    requires std::ranges::borrowed_range<R>
  future<void> iput(R&& from, int to, std::size_t offset, const call_tags& how = {}) const {
    return post({.kind = kind::put, .peer = to, .out = detail::buffer_of(from), .offset = at(offset)}, how);
  }
  template <single T>
  future<void> iput(const T& value, int to, std::size_t offset, const call_tags& how = {}) const {
    return detail::post_value_to(*engine_, whole({.kind = kind::put, .peer = to, .offset = at(offset)}), value, how);
  }
  template <room R>
    requires std::ranges::borrowed_range<R>
  future<void> iget(R&& into, int from, std::size_t offset, const call_tags& how = {}) const {
    return post({.kind = kind::get, .peer = from, .in = detail::buffer_of(into), .offset = at(offset)}, how);
  }
  template <single T>
  future<T> iget(int from, std::size_t offset, const call_tags& how = {}) const {
    return detail::post_value<T>(*engine_, whole({.kind = kind::get, .peer = from, .offset = at(offset)}), how,
                                 [](auto& o) { o.what.in = detail::buffer_of(&o.in, 1); });
  }
  /// Combines with what is there, each element atomically.
  template <reducible_elements R>
    requires std::ranges::borrowed_range<R>
  future<void> iaccumulate(R&& from, int to, std::size_t offset, MPI_Op op, const call_tags& how = {}) const {
    return post({.kind = kind::accumulate, .peer = to, .out = detail::buffer_of(from), .op = op, .offset = at(offset)},
                how);
  }
  /// The same, and brings what was there before.
  template <reducible_elements Out, room In>
    requires std::ranges::borrowed_range<Out> && std::ranges::borrowed_range<In>
  future<void> iget_accumulate(Out&& from, In&& before, int to, std::size_t offset, MPI_Op op,
                               const call_tags& how = {}) const {
    detail::check_fit("get_accumulate", "the result", std::ranges::size(before), std::ranges::size(from), how.where);
    return post({.kind = kind::get_accumulate,
                 .peer = to,
                 .out = detail::buffer_of(from),
                 .in = detail::buffer_of(before),
                 .op = op,
                 .offset = at(offset)},
                how);
  }
  template <reducible T>
  future<T> ifetch_and_op(const T& value, int to, std::size_t offset, MPI_Op op, const call_tags& how = {}) const {
    return detail::post_value<T>(
        *engine_, whole({.kind = kind::get_accumulate, .peer = to, .op = op, .offset = at(offset)}), how, [&](auto& o) {
          o.out = value;
          o.what.out = detail::buffer_of(&o.out, 1);
          o.what.in = detail::buffer_of(&o.in, 1);
        });
  }
  /// Writes `wanted` if `expected` is there; brings what was there.
  template <reducible T>
    requires std::is_integral_v<T>
  future<T> icompare_and_swap(const T& expected, const T& wanted, int to, std::size_t offset,
                              const call_tags& how = {}) const;

  // ---- immediate, as MPI

  future<void> iput(const void* from, int count, MPI_Datatype type, int to, MPI_Aint offset,
                    const call_tags& how = {}) const {
    return post({.kind = kind::put, .peer = to, .out = {from, count, type}, .offset = offset}, how);
  }
  future<void> iget(void* into, int count, MPI_Datatype type, int from, MPI_Aint offset,
                    const call_tags& how = {}) const {
    return post({.kind = kind::get, .peer = from, .in = {into, count, type}, .offset = offset}, how);
  }
  future<void> iaccumulate(const void* from, int count, MPI_Datatype type, int to, MPI_Aint offset, MPI_Op op,
                           const call_tags& how = {}) const {
    return post({.kind = kind::accumulate, .peer = to, .out = {from, count, type}, .op = op, .offset = offset}, how);
  }
  future<void> iget_accumulate(const void* from, void* before, int count, MPI_Datatype type, int to, MPI_Aint offset,
                               MPI_Op op, const call_tags& how = {}) const {
    return post({.kind = kind::get_accumulate,
                 .peer = to,
                 .out = {from, count, type},
                 .in = {before, count, type},
                 .op = op,
                 .offset = offset},
                how);
  }

  // ---- order

  /// The operations that this process has started towards `to` have completed there, puts included.
  future<void> iflush(int to, const call_tags& how = {}) const { return post({.kind = kind::flush, .peer = to}, how); }
  future<void> iflush_all(const call_tags& how = {}) const { return post({.kind = kind::flush_all}, how); }
  /// All processes' calls before it are done everywhere; every process makes it.
  future<void> ifence(const call_tags& how = {}) const;
  /// Ends the window, on every process; what was made of it is gone.
  future<void> ifree(const call_tags& how = {});

  // ---- waiting: each as its immediate form, then get()

  template <class From>
  void put(const From& from, int to, std::size_t offset, const call_tags& how = {}) const {
    iput(from, to, offset, how).get(how.where);
  }
  template <room R>
  void get(R&& into, int from, std::size_t offset, const call_tags& how = {}) const {
    iget(into, from, offset, how).get(how.where);
  }
  template <single T>
  T get(int from, std::size_t offset, const call_tags& how = {}) const {
    return iget<T>(from, offset, how).get(how.where);
  }
  template <class From>
  void accumulate(const From& from, int to, std::size_t offset, MPI_Op op, const call_tags& how = {}) const {
    iaccumulate(from, to, offset, op, how).get(how.where);
  }
  template <class From, class To>
  void get_accumulate(const From& from, To&& before, int to, std::size_t offset, MPI_Op op,
                      const call_tags& how = {}) const {
    iget_accumulate(from, before, to, offset, op, how).get(how.where);
  }
  template <reducible T>
  T fetch_and_op(const T& value, int to, std::size_t offset, MPI_Op op, const call_tags& how = {}) const {
    return ifetch_and_op(value, to, offset, op, how).get(how.where);
  }
  template <reducible T>
  T compare_and_swap(const T& expected, const T& wanted, int to, std::size_t offset, const call_tags& how = {}) const {
    return icompare_and_swap(expected, wanted, to, offset, how).get(how.where);
  }
  void flush(int to, const call_tags& how = {}) const { iflush(to, how).get(how.where); }
  void flush_all(const call_tags& how = {}) const { iflush_all(how).get(how.where); }
  void fence(const call_tags& how = {}) const { ifence(how).get(how.where); }
  void free(const call_tags& how = {}) { ifree(how).get(how.where); }

 private:
  friend class communicator;
  using kind = detail::call_kind;
  static MPI_Aint at(std::size_t offset) noexcept { return static_cast<MPI_Aint>(offset); }
  detail::call whole(detail::call&& c) const noexcept {
    c.comm = over_.raw(), c.window = is_;
    return std::move(c);
  }
  future<void> post(detail::call&& c, const call_tags& how) const {
    return detail::post(*engine_, whole(std::move(c)), how);
  }

  std::shared_ptr<engine> engine_;
  collectives over_;
  MPI_Win is_ = MPI_WIN_NULL;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

template <reducible T>
  requires std::is_integral_v<T>
future<T> window::icompare_and_swap(const T& expected, const T& wanted, int to, std::size_t offset,
                                    const call_tags& how) const {
  struct swap final : detail::operation {
    promise<T> result;
    T wanted_and_expected[2], before{};
    swap(detail::call&& c, const call_tags& tags, T w, T e)
        : operation(std::move(c), tags), result(tags.where), wanted_and_expected{w, e} {}
    void keep(const MPI_Status&) override { result.set(before); }
    void poison(std::exception_ptr why) noexcept override { result.poison(std::move(why), where); }
  };
  auto o = std::make_unique<swap>(whole({.kind = kind::compare_and_swap, .peer = to, .offset = at(offset)}), how,
                                  wanted, expected);
  o->what.out = detail::buffer_of(o->wanted_and_expected, 2);
  o->what.in = detail::buffer_of(&o->before, 1);
  auto f = o->result.get_future(how.where);
  detail::post_operation(*engine_, std::move(o), how);
  return f;
}

}  // namespace stretto::mpi
