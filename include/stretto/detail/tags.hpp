// tags.hpp - the tags of one call: any number of them before the other arguments, each kind once.
//
// A function that takes tags has one overload without, and one with a pack of all arguments behind the first tag:
//
//     template <class... A>
//     event launch(first_tag<launch_request, A...> first, const A&... rest) {
//       return behind_tags(first.request, [&](const kernel& k, const box& range) { ... }, rest...);
//     }
//
// The first tag is converted to the request that it is a tag of. The conversion also finds the source line of the call:
// a parameter behind a pack could not have it as its default argument.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// What a tag speaks of. Of two tags with one subject, one would be ignored.
template <class Tag>
struct subject_of {
  using type = Tag;
};
/// Such tags add to one another.
template <class Tag>
inline constexpr bool may_repeat = false;

template <class Tag, class... All>
inline constexpr std::size_t times_named =
    (std::size_t{0} + ... +
     std::size_t{std::is_same_v<typename subject_of<Tag>::type, typename subject_of<All>::type>});

/// A tag of calls with such a request.
template <class Tag, class Request>
concept tag_of = requires(Request request, const Tag& tag) { request.apply(tag); };

/// Of all arguments of a call, those that are no tags count for nothing.
template <class Request, class... Argument>
inline constexpr bool has_each_tag_once =
    ((!tag_of<Argument, Request> || may_repeat<Argument> || times_named<Argument, Argument...> == 1) && ...);

/// What the first tag of a call says, and where the call is; `Rest` is what stands behind it.
template <class Request, class... Rest>
struct tagged_call {
  Request request;
  std::source_location where;

  template <tag_of<Request> Tag>
  tagged_call(const Tag& tag, std::source_location called = std::source_location::current()) : where(called) {
    static_assert(has_each_tag_once<Request, Tag, Rest...>,
                  "two tags of this call say the same kind of thing, and one would be ignored: name all events in one "
                  "after(...), and one place or worker in one at(...) or on(...)");
    request.apply(tag);
  }
};
/// The first parameter of a function with tags: `Rest` is deduced from the others.
template <class Request, class... Rest>
using first_tag = std::type_identity_t<tagged_call<Request, std::remove_cvref_t<Rest>...>>;

/// Adds what further tags say to the request, and calls `what` with the arguments behind them.
template <class Request, class What>
decltype(auto) behind_tags(Request&, What&& what) {
  return std::forward<What>(what)();
}
template <class Request, class What, class First, class... Rest>
decltype(auto) behind_tags(Request& request, What&& what, First&& first, Rest&&... rest) {
  if constexpr (tag_of<std::remove_cvref_t<First>, Request>) {
    request.apply(first);
    return behind_tags(request, std::forward<What>(what), std::forward<Rest>(rest)...);
  } else {
    static_assert(std::invocable<What, First, Rest...>,
                  "tags that this call takes stand first, and behind them all its other arguments: here something else "
                  "follows a tag");
    if constexpr (std::invocable<What, First, Rest...>)
      return std::forward<What>(what)(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

/// Where a call is: as its last argument says, or as its first tag has found.
inline const std::source_location& called_at(const std::source_location& found) noexcept { return found; }
inline const std::source_location& called_at(const std::source_location&, const std::source_location& given) noexcept {
  return given;
}

/// A range that a call takes as a To, such as a box as a kernel_range. A To finds the source line of its call where it
/// is converted to; behind a first tag this would be a line of a header, and range_at gives it the line of the tag.
template <class Range, class To>
concept range_for = std::same_as<Range, To> || std::constructible_from<To, const Range&, const std::source_location&>;
template <class To, range_for<To> Range>
To range_at(const Range& range, const std::source_location& where) {
  if constexpr (std::same_as<Range, To>) return range;
  else return To(range, where);
}

}  // namespace stretto::detail

STRETTO_API_END
