#include "base/node_numbers.hpp"

#include <bitset>
#include <map>
#include <mutex>

#include "base/process_wide.hpp"

namespace stretto::base {
namespace {

struct numbers {
  std::mutex mutex;
  std::bitset<node_numbers> taken;
  std::map<std::uint16_t, std::uint32_t> jobs;  // first number, how many

  /// The numbers of the parent's runtimes stay in use, so that their events differ from those of the child.
  static void reset_in_child(void* of) noexcept {
    auto& all = *static_cast<numbers*>(of);
    std::construct_at(&all.mutex);
    std::construct_at(&all.jobs);
  }
  bool are_free(std::uint32_t first, std::uint32_t count) const {
    for (std::uint32_t n = first; n < first + count; ++n)
      if (taken[n]) return false;
    return true;
  }
  void take(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t n = first; n < first + count; ++n) taken[n] = true;
    jobs[static_cast<std::uint16_t>(first)] = count;
  }
};
// Runtimes may be objects of static storage.
numbers& numbers_in_use() {
  static numbers& one = make_process_wide<numbers>(numbers::reset_in_child);
  return one;
}

}  // namespace

std::optional<std::uint16_t> allocate_node_number() {
  const std::scoped_lock lock(numbers_in_use().mutex);
  for (std::uint16_t n = 0; n < first_process_node_number; ++n)
    if (!numbers_in_use().taken[n]) {
      numbers_in_use().taken[n] = true;
      return n;
    }
  return {};
}

std::optional<std::uint16_t> allocate_node_numbers(std::uint32_t count) {
  const std::scoped_lock lock(numbers_in_use().mutex);
  if (count == 0 || count > node_numbers) return {};
  for (std::uint32_t first = node_numbers - count; first >= first_process_node_number; --first)
    if (numbers_in_use().are_free(first, count)) {
      numbers_in_use().take(first, count);
      return static_cast<std::uint16_t>(first);
    }
  return {};
}

bool claim_node_numbers(std::uint16_t first, std::uint32_t count) {
  const std::scoped_lock lock(numbers_in_use().mutex);
  if (first + count > node_numbers || !numbers_in_use().are_free(first, count)) return false;
  numbers_in_use().take(first, count);
  return true;
}

void release_node_numbers(std::uint16_t first, std::uint32_t count) noexcept {
  const std::scoped_lock lock(numbers_in_use().mutex);
  for (std::uint32_t n = first; n < first + count; ++n) numbers_in_use().taken[n] = false;
  numbers_in_use().jobs.erase(first);
}

std::string node_name(std::uint16_t number) {
  const std::scoped_lock lock(numbers_in_use().mutex);
  auto behind = numbers_in_use().jobs.upper_bound(number);
  std::uint32_t within = number;
  if (behind != numbers_in_use().jobs.begin() && number < (--behind)->first + behind->second)
    within = number - behind->first;
  return "N" + std::to_string(within);
}

error no_such_node(std::uint32_t node, std::uint32_t nodes, const std::source_location& where) {
  return error("N02", "there is no node " + std::to_string(node))
      .fact("called", where)
      .fact("nodes", std::to_string(nodes) + ", numbered from 0")
      .remedy(nodes == 1 ? "start the program with `stretto run -n " + std::to_string(node + 1) + "`"
                         : "count from 0 to job_nodes() - 1");
}

}  // namespace stretto::base
