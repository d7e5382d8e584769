// file_opening.hpp - how the ranks of a communicator open a file together.
//
// Threads     one thread of each rank concerned.
// Errors      call_error: on all ranks of the exchange, with one class.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ranks/communicators/creation_exchange.hpp"
#include "ranks/files/open_file.hpp"

namespace stretto::ranks {

/// How a file is opened; the numbers are those of the ABI.
enum class file_mode : int {
  append = 1,
  create = 2,
  delete_on_close = 4,
  exclusive = 8,
  read_only = 16,
  read_write = 32,
  sequential = 64,
  unique_open = 128,
  write_only = 256
};

class file_modes {
 public:
  /// Throws call_error(amode) for modes that exclude one another.
  explicit file_modes(int bits);

  bool has(file_mode one) const { return bits_ & static_cast<int>(one); }
  bool can_read() const { return !has(file_mode::write_only); }
  bool can_write() const { return !has(file_mode::read_only); }
  int bits() const { return bits_; }

 private:
  int bits_;
};

/// The calling rank among those that open the file, and its node.
struct file_place {
  int rank = 0;
  int node = 0;
};

/// The result of a rank.
struct opened_file {
  counted_ref<open_file> file;
  bool leads_node = false;      // the first of the ranks that share the object
  bool is_on_one_node = false;  // all ranks share the object
};

/// One rank of each node opens the file for those of its node, the first rank of all before the others: it creates the
/// file, or finds that it exists.
opened_file open_together(creation_exchange& exchange, const file_place& place, const std::string& path,
                          file_modes modes, file_workers& workers);

/// Does something on one rank for all; all throw what it throws.
void do_for_all(creation_exchange& exchange, bool is_first, const std::function<void()>& action);

/// Throws call_error(not_same) on all ranks unless all have the same value.
void check_same(creation_exchange& exchange, std::int64_t value, const char* name);

/// Returns when all ranks have called it.
inline void meet(creation_exchange& exchange) { gather_value(exchange, char{0}); }

void delete_file(const std::string& path);

}  // namespace stretto::ranks
