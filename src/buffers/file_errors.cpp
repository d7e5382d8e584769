#include "buffers/file_errors.hpp"

#include <cstring>

namespace stretto::buffers {

namespace fs = std::filesystem;

error file_cannot_be_written(const fs::path& what, int number) {
  return error("F01", what.string() + " cannot be written: " + std::strerror(number))
      .because("an existing file is unchanged")
      .remedy(files::remedy_for(number, "free space there: the new file is written next to the old one",
                                "name a file in an existing, writable folder, on every node"));
}

error file_is_damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return error("F04", "the file " + file.string() + " of an array is damaged")
      .fact("expected", expected)
      .fact("found", found)
      .because("the contents differ from what was written")
      .remedy("take another copy of the array");
}

error file_cannot_be_read(const fs::path& file, const std::string& why) {
  return error("F02", file.string() + " cannot be read: " + why)
      .remedy("name a file or folder that every node of the job can read");
}

void refuse_to_replace(const fs::path& to, bool by_folder) {
  std::error_code e;
  const auto is = fs::status(to, e);
  if (!fs::exists(is)) return;
  const bool is_alike = by_folder ? fs::is_directory(is) && (fs::exists(to / "zarr.json", e) || fs::is_empty(to, e))
                                  : fs::is_regular_file(is);
  if (is_alike) return;
  throw error("F01", to.string() + " cannot be written: a file of another kind exists there")
      .because(by_folder ? "it exists and is not a Zarr array" : "it exists and is not a file")
      .remedy("choose another name, or remove it");
}

}  // namespace stretto::buffers
