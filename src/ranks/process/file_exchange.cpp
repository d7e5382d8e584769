#include "ranks/process/file_exchange.hpp"

#include <cstdint>
#include <utility>

#include "ranks/process/collective_request.hpp"

namespace stretto::ranks {
namespace {

const datatype& byte_type() { return *predefined_type(0x247); }  // MPI_BYTE

/// Blocks of bytes, one after another.
struct byte_blocks {
  explicit byte_blocks(std::vector<std::int64_t> bytes_of_each) : counts(std::move(bytes_of_each)) {
    std::int64_t end = 0;
    for (const std::int64_t bytes : counts) displacements.push_back(std::exchange(end, end + bytes));
    memory.resize(static_cast<std::size_t>(end));
  }

  block_buffer buffer() const {
    return {memory.data(), number_list(counts.data()), number_list(displacements.data()), byte_type()};
  }
  std::span<std::byte> block(std::size_t i) {
    return std::span(memory).subspan(static_cast<std::size_t>(displacements[i]), static_cast<std::size_t>(counts[i]));
  }

  std::vector<std::int64_t> counts, displacements;
  exchanged_data memory;
};

}  // namespace

exchanged_data file_exchange::gather(std::span<const std::byte> own) {
  collective_owner one = make_collective(comm_);
  exchanged_data all(own.size() * static_cast<std::size_t>(comm_.size()));
  const auto bytes = static_cast<std::int64_t>(own.size());
  build_allgather(one->steps(), one->group(), {own.data(), bytes, &byte_type()}, {all.data(), bytes, byte_type()});
  perform(std::move(one));
  return all;
}

std::vector<exchanged_data> file_exchange::exchange(const std::vector<exchanged_data>& to_each) {
  std::vector<std::int64_t> sent_bytes, received_bytes(to_each.size());
  for (const exchanged_data& bytes : to_each) sent_bytes.push_back(std::ssize(bytes));
  const std::int64_t size = sizeof(std::int64_t);
  collective_owner sizes = make_collective(comm_);
  build_alltoall(sizes->steps(), sizes->group(), {sent_bytes.data(), size, byte_type()},
                 {received_bytes.data(), size, byte_type()});
  perform(std::move(sizes));
  byte_blocks sent(std::move(sent_bytes)), received(std::move(received_bytes));
  for (std::size_t i = 0; i < to_each.size(); ++i) std::ranges::copy(to_each[i], sent.block(i).begin());
  collective_owner data = make_collective(comm_);
  build_alltoall(data->steps(), data->group(), sent.buffer(), received.buffer());
  perform(std::move(data));
  std::vector<exchanged_data> from_each;
  for (std::size_t i = 0; i < to_each.size(); ++i) {
    const auto block = received.block(i);
    from_each.emplace_back(block.begin(), block.end());
  }
  return from_each;
}

}  // namespace stretto::ranks
