// info.hpp - keys with values, as MPI_Info holds them.
//
// Threads     a value: one thread at a time changes it.
// Cost        linear in the number of keys, which are few.
// Invariants  keys stay in the order in which they were first set, and differ.
// Errors      call_error: info_key, info_value, info_nokey, argument.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::ranks {

class info {
 public:
  /// MPI_MAX_INFO_KEY and MPI_MAX_INFO_VAL, which count the zero at the end.
  static constexpr std::size_t key_limit = 256;
  static constexpr std::size_t value_limit = 1024;

  /// Sets or replaces; a replaced key keeps its place.
  void set(std::string_view key, std::string_view value);
  /// Throws call_error(info_nokey) if there is no such key.
  void remove(std::string_view key);
  /// The value; none if there is no such key. Throws for a key that can be none.
  std::optional<std::string_view> find(std::string_view key) const;

  int size() const { return static_cast<int>(entries_.size()); }
  /// 0 <= index < size(), else throws call_error(argument).
  std::string_view key(int index) const;

  friend bool operator==(const info&, const info&) = default;

 private:
  struct entry {
    std::string key;
    std::string value;
    friend bool operator==(const entry&, const entry&) = default;
  };

  std::vector<entry> entries_;
};

/// How the program was started; an empty field gives no key.
struct program_start {
  std::string command;                 // the program's name
  std::vector<std::string> arguments;  // without the program's name
  int ranks = 0;                       // 0: unknown
  std::string host;
  std::string architecture;
  std::string working_folder;
  std::string thread_level;  // as "MPI_THREAD_MULTIPLE"
};

/// The keys of MPI_INFO_ENV: command, argv, maxprocs, soft, host, arch, wdir, thread_level. Values beyond the limit are
/// cut off.
info environment_info(const program_start& start);

}  // namespace stretto::ranks
