// mobile_type.hpp - the type of a mobile object, in the form that the compiled core takes.
#pragma once

#include <stretto/detail/left_behind.hpp>
#include <stretto/fields.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The type of an object: a constant of the program, as functions for other nodes are.
struct mobile_type {
  std::uint64_t mark;
  const char* name;                   // for error messages
  void* (*read)(field_reader& from);  // makes a new one; throws B40
  void (*write)(const void* object, parcel& to);
  void (*destroy)(void* object) noexcept;
  double (*hint)(const void* object) noexcept;  // null: the type has no load_hint()
  std::uint64_t bytes;                          // a migration sends at least this many
};
inline constexpr std::uint64_t mobile_type_mark = 0x745f656c69626f6d;

/// The type has a member load_hint() (balancing.hpp).
template <class T>
concept has_load_hint = requires(const T& object) {
  { object.load_hint() } -> std::convertible_to<double>;
};

template <class T>
struct mobile_operations {
  static_assert(left_of_exact<T>() == stays_behind::nothing,
                "this type cannot move: it is a pointer or a view, has one, or needs a function fields()");
  static_assert(explain<left_of_exact<T>(), T>());
  static_assert(std::is_default_constructible_v<T>,
                "this type cannot move: an object that arrives is made without arguments, then read");

  static const char* name() { return __PRETTY_FUNCTION__; }
  static void* read(field_reader& from) {
    auto object = std::make_unique<T>();
    from.exact(*object);
    if (from.left()) refuse_fields("bytes beyond the object", from.left(), 0);
    return object.release();
  }
  static void write(const void* object, parcel& to) { write_lasting(to, *static_cast<const T*>(object)); }
  static void destroy(void* object) noexcept { delete static_cast<T*>(object); }
  static constexpr auto hint() -> double (*)(const void*) noexcept {
    if constexpr (has_load_hint<T>)
      return +[](const void* object) noexcept {
        return static_cast<double>(static_cast<const T*>(object)->load_hint());
      };
    else return nullptr;
  }
  static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
};
template <class T>
inline constexpr mobile_type mobile_type_of{mobile_type_mark,
                                            mobile_operations<T>::signature(),
                                            mobile_operations<T>::read,
                                            mobile_operations<T>::write,
                                            mobile_operations<T>::destroy,
                                            mobile_operations<T>::hint(),
                                            sizeof(T)};

}  // namespace stretto::detail

STRETTO_API_END
