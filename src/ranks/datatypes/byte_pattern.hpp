// byte_pattern.hpp - the bytes of a type while its layout is compiled: runs and loops of them, simplified as they come.
//
// Threads     pure.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace stretto::ranks {

/// A run of bytes, or `count` repetitions of a pattern. The offset counts from the pattern that it is part of.
struct pattern_part {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  // of a run; of all repetitions otherwise
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::shared_ptr<const std::vector<pattern_part>> body;  // null for a run

  bool is_run() const { return body == nullptr; }
};

/// Parts in the order of the data.
using byte_pattern = std::vector<pattern_part>;

/// Runs of one length at one distance.
struct regular_runs {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;  // of a run
  std::int64_t count = 0;
  std::int64_t stride = 0;
};

/// Whether the parts from `first` to before `last` are regular runs; if so, sets `runs`.
bool find_regular_runs(const pattern_part* first, const pattern_part* last, regular_runs& runs);

/// Appends a part; a run that begins where the last one ends extends it.
void append_part(byte_pattern& pattern, pattern_part part);

/// `count` repetitions of a pattern at a distance of `stride`; few runs are repeated as runs.
byte_pattern repeat_pattern(const byte_pattern& pattern, std::int64_t count, std::int64_t stride);

/// The bytes of all parts.
std::int64_t bytes_of(const byte_pattern& pattern);

}  // namespace stretto::ranks
