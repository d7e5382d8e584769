// window_position.hpp - the shared position of a file whose ranks are on several nodes: a number in a window.
//
// The first rank of the file has the number in its memory. So ranks of other nodes change it without its help.
//
// Threads     those of the rank.
// Cost        on the node of the first rank a lock and an addition, on others a message and its reply.
#pragma once

#include <memory>

#include "ranks/files/shared_position.hpp"
#include "ranks/windows/window_creation.hpp"

namespace stretto::ranks {

class window_position final : public shared_position {
 public:
  /// A collective call of all ranks of the file. No rank uses it any more when one is destroyed.
  window_position(communicator& of_file, const window_site& site);

  std::int64_t get() override;
  void set(std::int64_t position) override;
  std::int64_t advance(std::int64_t etypes) override;

 private:
  /// Returns the number as it was before.
  std::int64_t change(predefined_operator how, std::int64_t operand);

  const std::unique_ptr<rank_window> window_;
};

}  // namespace stretto::ranks
