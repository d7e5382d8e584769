// array_copy.hpp - a host copy of an array's elements that the program owns: the result of read_copy().
//
//     STRETTO_KERNEL(doubled, (inout<float, 2> u), { u(global_id(0), global_id(1)) *= 2; })
//
//     float change_of_a_corner(const buffer<float, 2>& u) {
//       auto before = u.read_copy().get();
//       launch(doubled, u.elements(), u(one_to_one));  // does not wait until the copy is destroyed
//       auto after = u.read_copy().get();
//       return after(0, 0) - before(0, 0);
//     }
//
// Threads     a value. Move-only.
// Memory      heap memory, dense in C order. The copy may outlive the runtime.
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

/// A host copy of an array's elements. It holds them as they were at one point of the program's order: later launches
/// do not change it.
template <class T, std::size_t D = 1>
class array_copy {
  static_assert(D >= 1 && D <= 3, "an array has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>, "elements are copied as bytes: T must be trivially copyable");

 public:
  using element_type = T;
  static constexpr std::size_t dimensions = D;  // the number of axes

  /// An empty copy.
  array_copy() noexcept = default;
  /// Allocates memory for these elements and leaves them uninitialised. Throws std::bad_alloc.
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

  /// The box of the copied elements.
  const box& elements() const noexcept { return elements_; }
  /// The number of elements.
  std::uint64_t size() const noexcept { return elements_.volume(); }
  /// The first element; the others follow densely in C order. Null if there are no elements.
  T* data() noexcept { return first_.get(); }
  const T* data() const noexcept { return first_.get(); }

  /// A view of the elements, valid as long as this copy.
  stretto::view<T, D> view() noexcept { return {first_.get(), shape()}; }
  stretto::view<const T, D> view() const noexcept { return {first_.get(), shape()}; }
  /// The element at these coordinates. They must lie in the box; this is not checked.
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
