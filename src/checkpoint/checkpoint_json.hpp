// checkpoint_json.hpp - checkpoint.json: what a checkpoint holds as a text with its own checksum, and back.
//
// Threads     pure.
// Invariants  (1) content_in gives what text_of was given, or throws C02, C06.
#pragma once

#include <filesystem>
#include <string>

#include "checkpoint/checkpoint_content.hpp"

namespace stretto::checkpoints {

inline constexpr const char* contents_name = "checkpoint.json";

/// Whether something can be kept under the name.
bool is_valid_name(const std::string& name);

std::string text_of(const detail::checkpoint_content& c);
/// A table with the checksum that belongs to it in place of the one that it has.
std::string with_checksum(std::string text);
/// What the table of the checkpoint in `directory` says. Throws C02, and C06 for a format that is not known.
detail::checkpoint_content content_in(std::string text, const std::filesystem::path& directory);

}  // namespace stretto::checkpoints
