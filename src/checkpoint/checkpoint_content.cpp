#include "checkpoint/checkpoint_content.hpp"

namespace stretto::detail {

const checkpoints::file_entry& checkpoint_content::entry_of(const std::string& file) const {
  const auto found = files.find(file);
  if (found != files.end()) return found->second;
  throw error("C02", "the checkpoint " + directory.string() + " is damaged")
      .because("its table of contents does not list the file " + file)
      .remedy("take another copy of the whole checkpoint");
}

}  // namespace stretto::detail
