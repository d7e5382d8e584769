// registered_messages.hpp - the kinds of messages that a node of a job registers, and what is wrong with their reading
// of given bytes. Shared by tests/dist and tests/fuzz.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "dist/dist_floor.hpp"
#include "dist/failure_codec.hpp"
#include "dist/job_member.hpp"
#include "ranks/nodes/job_of_ranks.hpp"

namespace stretto::test {

/// The kinds of all floors, as a runtime of ranks registers them.
inline std::vector<dist::message_type> registered_messages() {
  const simulated_job job({.nodes = 1});
  runtime rt(
      {.workers = 1, .job = std::make_shared<ranks::job_of_ranks>(job.endpoint(0), ranks::job_shape(), nullptr)});
  return rt.run([] {
    const auto& here = *base::require_current("test").runtime->get<dist::dist_state>(base::floor_slot::dist);
    return here.of->of().message_types();
  });
}

/// The environment of messages from node 1 of 3, with the failures of real jobs.
class receiving_node {
 public:
  const dist::message_environment& environment() const noexcept { return environment_; }

 private:
  dist::job job_;
  dist::failure_codec failures_{job_};
  dist::message_environment environment_{.first_node = 7, .nodes = 3, .sender = 1, .failures = &failures_};
};

/// A copy whose block ends with it, so that AddressSanitizer reports each read past the end.
class exact_copy {
 public:
  explicit exact_copy(std::span<const std::byte> bytes) : kept_(new std::byte[bytes.size()]), size_(bytes.size()) {
    if (!bytes.empty()) std::memcpy(kept_.get(), bytes.data(), bytes.size());
  }
  std::span<const std::byte> bytes() const noexcept { return {kept_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> kept_;
  std::size_t size_;
};

enum class reading { refused, sound, own_encoding_is_refused, own_encoding_changes };

/// Decodes the bytes. A value that they make must encode to bytes that make it again.
inline reading read_and_encode(const dist::message_type& type, const dist::message_environment& of,
                               std::span<const std::byte> bytes) {
  const auto written = type.reencode(of, exact_copy(bytes).bytes());
  if (!written) return reading::refused;
  const auto again = type.reencode(of, exact_copy(*written).bytes());
  return !again               ? reading::own_encoding_is_refused
         : *again == *written ? reading::sound
                              : reading::own_encoding_changes;
}

}  // namespace stretto::test
