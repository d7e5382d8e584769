// archive_base.hpp - the base of archives: splits values into their parts, for each kind of serialisable type.
#pragma once

#include <stretto/detail/left_behind.hpp>
#include <stretto/detail/parcel.hpp>
#include <stretto/detail/transferable.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The common part of all archives: visits the parts of values. `Self` handles blocks of bytes.
template <class Self>
class archive_base {
 public:
  template <class... Part>
  Self& operator()(Part&... parts) {
    (one(parts), ...);
    return self();
  }
  template <class... Part>
  Self& operator()(const Part&... parts)
    requires(!Self::is_reading)
  {
    (one(parts), ...);
    return self();
  }
  /// Visits an object that is exactly a T, even if T has virtual functions.
  template <class T>
  void exact(T& value) {
    if constexpr (has_fields<std::remove_const_t<T>>) fields(self(), value);
    else one(value);
  }

 private:
  Self& self() noexcept { return static_cast<Self&>(*this); }

  /// Begins a scope, which the result ends: memory of `part` belongs to the written value if `whole` belongs to it.
  template <class Whole, class Part>
  auto own(const Whole& whole, const Part& part) {
    if constexpr (requires { self().own_part(&whole, &part, sizeof part); })
      return self().own_part(&whole, &part, sizeof part);
    else return nullptr;
  }

  template <class T>
  void one(T& value) {
    using V = std::remove_const_t<T>;
    static_assert(
        transferable<V>,
        "this part cannot travel: it is a pointer, a reference or a view, or a type that needs a function fields()");
    static_assert(explain_travel<V>());
    if constexpr (!transferable<V>) return;
    else if constexpr (has_fields<V>) fields(self(), value);
    else if constexpr (is_unique_ptr<V>) owned(value);
    else if constexpr (variant_like<V>) alternative(value);
    else if constexpr (optional_like<V>) maybe(value);
    else if constexpr (is_plain_array<V>) self().bytes(&value, sizeof value);
    else if constexpr (array_like<V>) each(value);
    else if constexpr (tuple_like<V>) parts(value, std::make_index_sequence<std::tuple_size_v<V>>());
    else if constexpr (container_like<V>) elements(value);
    else if constexpr (std::is_same_v<V, bool>) truth(value);
    else self().bytes(&value, sizeof value);
  }

  template <class T>
  void each(T& array) {
    for (auto& element : array) one(element);
  }
  template <class T, std::size_t... I>
  void parts(T& value, std::index_sequence<I...>) {
    (one(std::get<I>(value)), ...);
  }
  // The byte may have any value; that of a bool must be 0 or 1.
  template <class T>
  void truth(T& value) {
    std::uint8_t byte = value ? 1 : 0;
    self().bytes(&byte, 1);
    if constexpr (Self::is_reading) {
      if (byte > 1) refuse_fields("a bool", byte, 1);
      value = byte == 1;
    }
  }
  template <class T>
  void owned(T& value) {
    bool is_there = static_cast<bool>(value);
    one(is_there);
    if constexpr (Self::is_reading) value = is_there ? std::make_unique<typename T::element_type>() : nullptr;
    if (!is_there) return;
    [[maybe_unused]] const auto inside = own(value, *value);
    one(*value);
  }
  template <class T>
  void maybe(T& value) {
    bool is_there = value.has_value();
    one(is_there);
    if constexpr (Self::is_reading) {
      if (is_there) value.emplace();
      else value.reset();
    }
    if (is_there) one(*value);
  }

  template <template <class...> class V, class... T>
  void alternative(const V<T...>& value) {
    auto which = static_cast<std::uint32_t>(value.index());
    one(which);
    std::uint32_t n = 0;
    ((n++ == which ? (one(*get_if_of<T>(&value, n - 1)), true) : false) || ...);
  }
  template <template <class...> class V, class... T>
  void alternative(V<T...>& value)
    requires(Self::is_reading)
  {
    std::uint32_t which = 0;
    one(which);
    if (which >= sizeof...(T)) refuse_fields("the number of a variant's alternative", which, sizeof...(T));
    std::uint32_t n = 0;
    ((n++ == which ? (one(value.template emplace<T>()), true) : false) || ...);
  }
  template <class T, class V>
  static const T* get_if_of(const V* value, std::uint32_t) {
    return get_if<T>(value);  // by argument-dependent lookup: the program includes <variant>
  }

  template <class T>
  void elements(T& value) {
    using element = typename std::remove_const_t<T>::value_type;
    std::uint64_t count = value.size();
    one(count);
    if constexpr (contiguous_like<std::remove_const_t<T>> && plain<element>) {
      if constexpr (Self::is_reading) {
        self().expect(count, sizeof(element));
        if constexpr (requires(const element* e) {
                        value.assign(e, e);
                        self().in_place(count, count);
                      })
          if (const void* const there = self().in_place(count * sizeof(element), alignof(element))) {
            const auto* const first = static_cast<const element*>(there);
            value.assign(first, first + count);
            return;
          }
        value.resize(count);
      }
      if constexpr (requires { self().elements_of(&value, value.data(), count); })
        self().elements_of(&value, value.data(), count * sizeof(element));
      else if (count) self().bytes(value.data(), count * sizeof(element));
    } else if constexpr (!Self::is_reading) {
      for (const auto& e : value) {
        if constexpr (std::is_same_v<element, bool>) {
          bool b = e;  // of vector<bool>
          one(b);
        } else if constexpr (std::is_reference_v<decltype(*value.begin())>) {
          [[maybe_unused]] const auto inside = own(value, e);
          one(e);
        } else {
          one(e);
        }
      }
    } else {
      self().expect(count, 0);
      value.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        if constexpr (map_like<T>) {
          std::pair<typename T::key_type, typename T::mapped_type> e{};
          one(e.first), one(e.second);
          value.insert(std::move(e));
        } else {
          element e{};
          one(e);
          if constexpr (set_like<T>) value.insert(std::move(e));
          else value.push_back(std::move(e));
        }
      }
    }
  }
};

}  // namespace stretto::detail

STRETTO_API_END
