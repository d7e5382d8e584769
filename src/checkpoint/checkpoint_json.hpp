// checkpoint_json.hpp - checkpoint.json: a checkpoint's content as text with its own checksum, and back.
//
// Threads     pure.
// Invariants  (1) content_in returns what text_of was given, or throws C02, C06.
#pragma once

#include <filesystem>
#include <string>

#include "checkpoint/checkpoint_content.hpp"

namespace stretto::checkpoints {

inline constexpr const char* contents_name = "checkpoint.json";

/// Whether a value can be saved under the name.
bool is_valid_name(const std::string& name);

std::string text_of(const detail::checkpoint_content& c);
/// The text with its checksum field replaced by the correct checksum.
std::string with_checksum(std::string text);
/// Parses the text of the checkpoint in `directory`. Throws C02, and C06 for an unknown format.
detail::checkpoint_content content_in(std::string text, const std::filesystem::path& directory);

}  // namespace stretto::checkpoints
