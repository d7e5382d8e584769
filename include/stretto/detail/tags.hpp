// tags.hpp - the tags of one call: any number of them, each kind once.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <type_traits>

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

/// What the tags of one call say together.
template <class Request, class... Tag>
Request request_of(const Tag&... tag) {
  static_assert(((may_repeat<Tag> || times_named<Tag, Tag...> == 1) && ...),
                "two tags of this call say the same kind of thing, and one would be ignored: name all events in one "
                "after(...), and one place "
                "or worker in one at(...) or on(...)");
  Request request;
  (request.apply(tag), ...);
  return request;
}

}  // namespace stretto::detail

STRETTO_API_END
