// json_reader.hpp - JSON that remembers where each value stands, with the three liberties that locality graphs take.
//
// Threads     pure.
// Cost        linear in the text; at most max_values values are kept (about 100 bytes each).
// Invariants  every value and key carries the offset of its first character in the text.
// Source      RFC 8259. Liberties, each found in public locality graphs: a bare worker number may be a key, the
//             comma before such a key may be missing, and a list or object may end in a comma.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stretto::places {

/// A text and its name, able to say where in it an offset is.
struct source_text {
  std::string_view text;
  std::string_view name;

  /// "node.json:14:22"; lines and columns count from 1, columns in characters (UTF-8).
  std::string at(std::size_t offset) const;
};

struct json_member;

struct json_value {
  enum class type : std::uint8_t { null, boolean, number, string, list, object };

  type is = type::null;
  std::size_t offset = 0;
  bool plain = false;  // string: written without escapes, so character i stands at offset + 1 + i
  bool truth = false;
  double number = 0;
  std::string text;  // string: the content; number: as written
  std::vector<json_value> items;
  std::vector<json_member> members;

  /// "a list", "the number 12", "the text \"x\"": for messages, shortened.
  std::string described() const;
};

struct json_member {
  std::string key;
  std::size_t offset = 0;
  bool bare = false;  // the key is a number without quotes
  json_value value;
};

inline constexpr std::size_t max_json_values = 1u << 20;
inline constexpr std::size_t max_json_depth = 32;

/// The one value of the text. Throws P01 (malformed) or P10 (too deep, too many values), with file:line:column.
json_value read_json(const source_text& source);

/// The text as a JSON string with its quotes.
std::string json_quoted(std::string_view text);

}  // namespace stretto::places
