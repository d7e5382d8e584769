#include "transfer.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace stretto {
namespace {

constexpr std::size_t largest_piece = 1 << 20;  // several of one transfer move at once

void add_equal(std::vector<transfer_piece>& to, transfer_piece all, std::size_t most) {
  while (all.bytes > 0) {
    transfer_piece one = all;
    one.bytes = std::min(all.bytes, most);
    to.push_back(one);
    all.offset += one.bytes, all.memory += one.bytes, all.bytes -= one.bytes;
  }
}

}  // namespace

void add_pieces(std::vector<transfer_piece>& to, std::uint64_t offset, std::byte* memory, std::size_t bytes,
                bool is_direct) {
  const std::uint64_t end = offset + bytes;
  const std::uint64_t first = (offset + direct_alignment - 1) / direct_alignment * direct_alignment;
  const std::uint64_t last = end / direct_alignment * direct_alignment;
  if (!is_direct || first >= last) return add_equal(to, {offset, memory, bytes}, largest_piece);
  add_equal(to, {offset, memory, first - offset}, largest_piece);
  std::byte* const middle = memory + (first - offset);
  const bool is_bounced = reinterpret_cast<std::uintptr_t>(middle) % direct_alignment != 0;
  add_equal(to, {first, middle, last - first, true, is_bounced}, is_bounced ? bounce_bytes : largest_piece);
  add_equal(to, {last, memory + (last - offset), end - last}, largest_piece);
}

std::exception_ptr transfer::fault(int code, const transfer_piece& p) const {
  const std::string which = std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                            (is_read ? " were to be read" : " were to be written");
  if (code == 0 && is_read)
    return std::make_exception_ptr(
        std::runtime_error(of->path.string() + " ends at byte " + std::to_string(p.offset) + "; " + which));
  return std::make_exception_ptr(std::system_error(
      code ? code : EIO, std::generic_category(),
      (is_read ? "reading " : "writing ") + of->path.string() + " at byte " + std::to_string(p.offset) + "; " + which));
}

}  // namespace stretto
