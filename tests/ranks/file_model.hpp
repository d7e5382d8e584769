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

  memory_bytes data() const {
    memory_bytes bytes(static_cast<std::size_t>(opened->bytes()));
    if (::pread(opened->descriptor(), bytes.data(), bytes.size(), 0) != std::ssize(bytes)) bytes.clear();
    return bytes;
  }
  void set_data(const memory_bytes& bytes) {
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

/// A type can be a filetype, one that overlaps itself, or none.
enum class filetype_kind { usual, overlapping, impossible };

inline filetype_kind filetype_of(const type_model& model, std::int64_t displacement) {
  const auto bytes = model.bytes(1);
  if (bytes.empty()) return filetype_kind::usual;
  auto kind =
      bytes.front() + displacement >= 0 && model.extent() > 0 ? filetype_kind::usual : filetype_kind::impossible;
  std::int64_t start = bytes.front(), end = bytes.front();  // of the run, and of all
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && bytes[i] == bytes[i - 1] + 1) {
      if (bytes[i] < end && kind == filetype_kind::usual) kind = filetype_kind::overlapping;
    } else {
      if (bytes[i] < start) return filetype_kind::impossible;
      if (bytes[i] < end && kind == filetype_kind::usual) kind = filetype_kind::overlapping;
      start = bytes[i];
    }
    end = std::max(end, bytes[i] + 1);
  }
  return kind;
}

/// `count` filetypes; none if the random type cannot be one.
inline std::optional<modelled_view> random_view(random_types& random, std::int64_t count) {
  const modelled_type made = random.next();
  const std::int64_t displacement = random.number(0, 20);
  if (filetype_of(made.model, displacement) != filetype_kind::usual || made.model.size() == 0) return {};
  const ranks::datatype& etype = *ranks::predefined_type(0x247);
  modelled_view v{std::make_shared<const ranks::file_view>(displacement, etype, *made.type, nullptr),
                  made.model.bytes(count), made.model.size()};
  for (std::int64_t& offset : v.offsets) offset += displacement;
  return v;
}

}  // namespace stretto::test
