// tags.hpp - tags of calls: any number of them before the other arguments, at most one of each kind.
//
// A function that takes tags has one overload without, and one with a pack of all arguments behind the first tag:
//
//     template <class... A>
//     event launch(first_tag<launch_request, A...> first, const A&... rest) {
//       return behind_tags(first.request, [&](const kernel& k, const box& range) { ... }, rest...);
//     }
//
// The first tag is converted to the request of the function. The conversion also records the source line of the call,
// which a parameter behind a pack cannot have as its default argument.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The subject of a tag. A call may have only one tag per subject, because one of two would be ignored.
template <class Tag>
struct subject_of {
  using type = Tag;
};
/// True for tags that may repeat because they add up.
template <class Tag>
inline constexpr bool may_repeat = false;

template <class Tag, class... All>
inline constexpr std::size_t times_named =
    (std::size_t{0} + ... +
     std::size_t{std::is_same_v<typename subject_of<Tag>::type, typename subject_of<All>::type>});

/// A tag of calls with this request.
template <class Tag, class Request>
concept tag_of = requires(Request request, const Tag& tag) { request.apply(tag); };

/// Whether no two arguments are tags of the same subject.
template <class Request, class... Argument>
inline constexpr bool has_each_tag_once =
    ((!tag_of<Argument, Request> || may_repeat<Argument> || times_named<Argument, Argument...> == 1) && ...);

/// The request with the first tag of a call applied, and the source line of the call; `Rest` are the other arguments.
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
/// The type of the first parameter of a function with tags; `Rest` is deduced from the other arguments.
template <class Request, class... Rest>
using first_tag = std::type_identity_t<tagged_call<Request, std::remove_cvref_t<Rest>...>>;

/// Applies the other tags to the request, and calls `what` with the arguments behind them.
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

/// The source line of a call: its last argument if that is one, otherwise the line that the first tag recorded.
inline const std::source_location& called_at(const std::source_location& found) noexcept { return found; }
inline const std::source_location& called_at(const std::source_location&, const std::source_location& given) noexcept {
  return given;
}

/// A range that converts to a To, as a box to a kernel_range. The conversion records the source line. Behind tags this
/// would be a line of a header; range_at uses the line of the first tag instead.
template <class Range, class To>
concept range_for = std::same_as<Range, To> || std::constructible_from<To, const Range&, const std::source_location&>;
template <class To, range_for<To> Range>
To range_at(const Range& range, const std::source_location& where) {
  if constexpr (std::same_as<Range, To>) return range;
  else return To(range, where);
}

}  // namespace stretto::detail

STRETTO_API_END
