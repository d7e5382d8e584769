// envelope.hpp - what a message and a receive are matched by: context, source and tag.
//
// Threads     values.
#pragma once

#include <cstdint>

#include "ranks/special_ranks.hpp"

namespace stretto::ranks {

/// Keeps the messages of communicators apart, and those of a communicator's collectives from its others.
enum class context_number : std::uint32_t;

/// MPI_ANY_TAG.
inline constexpr int any_tag = -2;

/// Of a message, or the pattern of a receive or probe, which may have any_source and any_tag. The source is a rank in
/// the communicator. Source and tag are one number, so that one comparison compares both.
class envelope {
 public:
  constexpr envelope() : envelope(context_number{}, any_source, any_tag) {}
  constexpr envelope(context_number c, int source, int tag)
      : source_and_tag_(std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(tag)),
        context_(static_cast<std::uint32_t>(c)) {}

  constexpr context_number context() const { return context_number(context_); }
  constexpr int source() const { return static_cast<int>(source_and_tag_ >> 32); }
  constexpr int tag() const { return static_cast<int>(source_and_tag_); }
  constexpr std::uint64_t source_and_tag() const { return source_and_tag_; }

  constexpr bool has_wildcard() const { return source() == any_source || tag() == any_tag; }
  friend constexpr bool operator==(const envelope&, const envelope&) = default;

 private:
  std::uint64_t source_and_tag_;
  std::uint64_t context_;
};

/// Whether a receive with this pattern takes the message, if both have the same context.
constexpr bool matches(envelope pattern, envelope message) {
  return (pattern.source() == message.source() || pattern.source() == any_source) &&
         (pattern.tag() == message.tag() || pattern.tag() == any_tag);
}

}  // namespace stretto::ranks
