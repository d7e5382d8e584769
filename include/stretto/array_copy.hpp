// array_copy.hpp - elements of an array that the program owns: a snapshot, as read_copy() gives it.
//
//     auto before = u.read_copy().get();
//     for (int s = 0; s < steps; ++s) launch(step, u.elements(), u(one_to_one));
//     auto after = u.read_copy().get();
//     float changed = after(i, j) - before(i, j);
//
// Threads     a value. Move-only.
// Memory      of the heap, dense in C order; nothing of the runtime's, so it may outlive that.
#pragma once

#include <stretto/box.hpp>
#include <stretto/instance.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// Elements of an array, copied to the host at one point of the program's order; later launches do not change them.
template <class T, std::size_t D = 1>
class array_copy {
  static_assert(D >= 1 && D <= 3, "an array has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes: T must be trivially copyable");

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;

  /// Of no elements.
  array_copy() noexcept = default;
  /// Elements are undefined until they are written. Throws std::bad_alloc.
  explicit array_copy(const box& elements) : elements_(elements) {
    const auto count = static_cast<std::size_t>(elements.volume());
    if (count != 0) first_ = {std::allocator<T>().allocate(count), deallocate{count}};
  }
  array_copy(array_copy&& other) noexcept
      : elements_(std::exchange(other.elements_, {})), first_(std::move(other.first_)) {}
  array_copy& operator=(array_copy&& other) noexcept {
    elements_ = std::exchange(other.elements_, {});
    first_ = std::move(other.first_);
    return *this;
  }

  /// The box of its elements.
  const box& elements() const noexcept { return elements_; }
  /// How many elements it has.
  std::uint64_t size() const noexcept { return elements_.volume(); }
  /// Dense in C order; null where there are none.
  T* data() noexcept { return first_.get(); }
  const T* data() const noexcept { return first_.get(); }

  /// Access to the elements by their coordinates.
  stretto::view<T, D> view() noexcept { return {first_.get(), shape()}; }
  stretto::view<const T, D> view() const noexcept { return {first_.get(), shape()}; }
  /// The element at these coordinates, which lie in the box (unchecked).
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  T& operator()(Index... index) noexcept {
    return view()(index...);
  }
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  const T& operator()(Index... index) const noexcept {
    return view()(index...);
  }

 private:
  struct deallocate {
    std::size_t count = 0;
    void operator()(T* first) const noexcept { std::allocator<T>().deallocate(first, count); }
  };
  data::layout shape() const noexcept {
    data::layout l{elements_, {}, sizeof(T)};
    std::int64_t bytes = sizeof(T);
    for (int a = max_axes - 1; a >= 0; --a) {
      l.stride[a] = bytes;
      bytes *= elements_.length(a);
    }
    return l;
  }

  box elements_;
  std::unique_ptr<T, deallocate> first_;
};

}  // namespace stretto

STRETTO_API_END
