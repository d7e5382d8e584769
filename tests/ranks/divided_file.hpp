// divided_file.hpp - a file of which each rank has some runs.
#pragma once

#include <algorithm>
#include <vector>

#include "ranks/file_model.hpp"

namespace stretto::test {

/// A file whose bytes belong to ranks, in runs of random lengths; each rank's view shows its own.
class divided_file {
 public:
  divided_file(random_types& random, int ranks, std::int64_t longest_run) : owned_(static_cast<std::size_t>(ranks)) {
    const std::int64_t runs = random.number(1, 200);
    for (std::int64_t i = 0; i < runs; ++i) {
      const std::int64_t length = random.number(1, longest_run);
      const std::int64_t owner = random.number(-1, ranks - 1);  // -1: a gap
      if (owner >= 0) owned_[static_cast<std::size_t>(owner)].push_back({bytes_, length});
      bytes_ += length;
    }
  }

  std::int64_t bytes() const { return bytes_; }
  const std::vector<ranks::file_run>& runs(std::size_t rank) const { return owned_[rank]; }
  std::int64_t bytes_of(std::size_t rank) const {
    std::int64_t bytes = 0;
    for (const auto& run : owned_[rank]) bytes += run.bytes;
    return bytes;
  }
  modelled_view view(std::size_t rank) const {
    std::vector<std::int64_t> lengths, displacements;
    for (const auto& run : owned_[rank]) lengths.push_back(run.bytes), displacements.push_back(run.offset);
    const auto& byte = *ranks::predefined_type(0x247);
    const auto type = ranks::make_hindexed(lengths, displacements, byte);
    type->commit();
    return {std::make_shared<const ranks::file_view>(0, byte, *type, nullptr), {}, 0};
  }

 private:
  std::vector<std::vector<ranks::file_run>> owned_;
  std::int64_t bytes_ = 0;
};

/// Writes a rank's data into its runs, one after another.
inline void place_runs(memory_bytes& file, const std::vector<ranks::file_run>& runs, const memory_bytes& data) {
  auto from = data.begin();
  for (const auto& run : runs) {
    if (std::ssize(file) < run.end()) file.resize(static_cast<std::size_t>(run.end()));
    std::copy(from, from + run.bytes, file.begin() + run.offset);
    from += run.bytes;
  }
}

}  // namespace stretto::test
