// envelope.hpp - what a message and a receive are matched by: context, source and tag.
//
// Threads     values.
#pragma once

#include <cstdint>

namespace stretto::ranks {

/// Keeps the messages of communicators apart, and those of a communicator's collectives from its others.
enum class context_number : std::uint32_t;

// Values of the ABI of MPI 5.0.
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int null_process = -3;

/// Of a message, or the pattern of a receive or probe, which may have any_source and any_tag. The source is a rank in
/// the communicator.
struct envelope {
  context_number context{};
  int source = any_source;
  int tag = any_tag;

  bool has_wildcard() const { return source == any_source || tag == any_tag; }
  friend bool operator==(const envelope&, const envelope&) = default;
};

/// Whether a receive with this pattern takes the message, if both have the same context.
inline bool matches(const envelope& pattern, const envelope& message) {
  return (pattern.source == message.source || pattern.source == any_source) &&
         (pattern.tag == message.tag || pattern.tag == any_tag);
}

}  // namespace stretto::ranks
