// file_model.hpp - views of files as lists of bytes, and a file of a test's own.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <vector>

#include "ranks/files/open_file.hpp"
#include "ranks/random_types.hpp"
#include "temporary_folder.hpp"

namespace stretto::test {

/// Performs work at once, in the calling thread.
struct immediate_work final : ranks::file_workers {
  void submit(std::unique_ptr<ranks::file_work> work) override {
    ++submitted;
    work->perform();
    work->finish();
  }
  int threads() const override { return 3; }

  int submitted = 0;
};

using memory_bytes = std::vector<std::byte>;

inline memory_bytes random_bytes(random_types& random, std::int64_t count) {
  memory_bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& one : bytes) one = static_cast<std::byte>(random.number(0, 255));
  return bytes;
}

/// A file in a temporary folder, opened by so many ranks.
class test_file {
 public:
  explicit test_file(int ranks = 1) {
    const auto path = folder_.path / "file";
    opened =
        ranks::make_counted<ranks::open_file>(::open(path.c_str(), O_RDWR | O_CREAT, 0600), path.string(), ranks, work);
  }

  memory_bytes content() const {
    memory_bytes bytes(static_cast<std::size_t>(opened->bytes()));
    if (::pread(opened->descriptor(), bytes.data(), bytes.size(), 0) != std::ssize(bytes)) bytes.clear();
    return bytes;
  }
  void set_content(const memory_bytes& bytes) {
    ranks::write_bytes(opened->descriptor(), bytes.data(), {0, std::ssize(bytes)});
  }

 private:
  temporary_folder folder_;

 public:
  immediate_work work;
  ranks::counted_ref<ranks::open_file> opened;
};

/// A view with the offsets of its first bytes, as its model lists them.
struct modelled_view {
  std::shared_ptr<const ranks::file_view> view;
  std::vector<std::int64_t> offsets;
  std::int64_t filetype_bytes = 0;
};

/// Offsets grow within the type, and none is negative: others cannot be filetypes.
inline bool can_be_filetype(const type_model& model, std::int64_t displacement) {
  const auto bytes = model.bytes(1);
  if (bytes.empty()) return true;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] < bytes[i - 1]) return false;
  }
  return bytes.front() + displacement >= 0 && model.extent() > 0;
}

/// `count` filetypes; none if the random type cannot be one.
inline std::optional<modelled_view> random_view(random_types& random, std::int64_t count) {
  const modelled_type made = random.next();
  const std::int64_t displacement = random.number(0, 20);
  if (!can_be_filetype(made.model, displacement) || made.model.size() == 0) return {};
  const ranks::datatype& etype = *ranks::predefined_type(0x247);
  modelled_view v{std::make_shared<const ranks::file_view>(displacement, etype, *made.type, nullptr),
                  made.model.bytes(count), made.model.size()};
  for (std::int64_t& offset : v.offsets) offset += displacement;
  return v;
}

}  // namespace stretto::test
