// file_exchange.hpp - implements data_exchange by collectives of the ranks of a file.
//
// Threads     any thread of the rank.
#pragma once

#include "ranks/communicators/communicator.hpp"
#include "ranks/files/data_exchange.hpp"

namespace stretto::ranks {

class file_exchange final : public data_exchange {
 public:
  /// The file's own communicator.
  explicit file_exchange(communicator& comm) : comm_(comm) {}

  int rank() const override { return comm_.rank(); }
  int ranks() const override { return comm_.size(); }
  exchanged_data gather(std::span<const std::byte> own) override;
  std::vector<exchanged_data> exchange(const std::vector<exchanged_data>& to_each) override;

 private:
  communicator& comm_;
};

}  // namespace stretto::ranks
