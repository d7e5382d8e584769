// buffer_view.hpp - elements of a buffer for host code of this node: what buffer::read gives.
//
//     seen<float, 2> now = u.read().get();
//     float corner = now.view()(0, 0);
//     now.release();                                  // launches that write u no longer wait
//
// Threads     one task at a time.
// Cost        an element: one multiplication and one addition per axis.
#pragma once

#include <stretto/detail/seen_elements.hpp>
#include <stretto/instance.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class buffer;

/// A view of what was read, as long as that is kept. Where programs are checked (STRETTO_CHECK=1), it looks at each
/// coordinate, and throws B27 for one that was not read; rows are not looked at. It becomes a view<const T, D> where
/// one is asked for, which looks at nothing.
template <class T, std::size_t D>
class seen_view : public stretto::view<const T, D> {
 public:
  seen_view(const T* first, const data::layout& shape, const detail::view_limits* limits) noexcept
      : stretto::view<const T, D>(first, shape), limits_(limits) {}
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  const T& operator()(Index... index) const {
    return at({static_cast<std::int64_t>(index)...});
  }
  const T& at(const std::array<std::int64_t, D>& p) const {
    if (limits_) [[unlikely]]
      detail::look_at(*limits_, p.data(), D);
    return stretto::view<const T, D>::at(p);
  }

 private:
  const detail::view_limits* limits_;
};

/// Elements of a buffer on this node, until it goes; launches that would write them here wait until then, and a task
/// that keeps it while it waits for one of those waits for ever: it is released before. Move-only.
template <class T, std::size_t D>
class seen {
 public:
  seen_view<T, D> view() const {
    data::layout shape;
    auto* const first = reinterpret_cast<const T*>(detail::first_of(*is_, shape));
    return {first, shape, detail::limits_of(*is_)};
  }
  void release() noexcept { is_.reset(); }
  explicit operator bool() const noexcept { return is_ != nullptr; }

 private:
  friend class buffer<T, D>;
  explicit seen(detail::seen_pointer is) noexcept : is_(std::move(is)) {}
  detail::seen_pointer is_;
};

}  // namespace stretto

STRETTO_API_END
