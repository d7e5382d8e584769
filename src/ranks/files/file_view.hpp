// file_view.hpp - which bytes of a file a rank sees, as MPI_File_set_view says.
//
// The data of a view is a stream: the bytes of the filetype, repeated from the displacement on. A position is a byte of
// this stream, an offset a byte of the file.
//
// Threads     immutable.
// Cost        byte_offset: O(steps of the filetype's layout). data_before: the same for each of log2(size) trials.
// Invariants  (1) runs of a filetype begin in the order of the file. (2) no offset is negative.
#pragma once

#include <cstdint>

#include "ranks/datatypes/datatype.hpp"
#include "ranks/files/data_representation.hpp"
#include "ranks/files/file_cursor.hpp"

namespace stretto::ranks {

class file_view {
 public:
  /// The bytes of the file, one after another.
  file_view();
  /// The types must be committed.
  ///
  ///   throws   call_error: argument, if the displacement is negative; io, if an offset is, if runs of the filetype do
  ///            not begin in the order of the file, or if it does not consist of etypes
  file_view(std::int64_t displacement, const datatype& etype, const datatype& filetype,
            representation_ref representation);

  std::int64_t displacement() const { return displacement_; }
  const datatype& etype() const { return *etype_; }
  const datatype& filetype() const { return *filetype_; }
  /// Null: data lies in the file as in memory.
  const representation_ref& representation() const { return representation_; }

  /// Of an etype, in the file.
  std::int64_t etype_bytes() const { return etype_bytes_; }
  /// For cursors: the filetype as it lies in the file.
  operator file_pattern() const { return {layout_.get(), displacement_}; }
  /// The extent of a type in the file.
  std::int64_t extent_in_file(const datatype& type) const;

  std::int64_t byte_offset(std::int64_t position) const;
  /// A filetype shows some bytes twice: such files may only be read.
  bool has_overlaps() const { return has_overlaps_; }
  /// Also from one filetype to the next, which may be resized so that they interleave.
  bool offsets_grow() const { return offsets_grow_; }
  /// How many bytes of the stream lie before an offset of the file. Where offsets do not grow: of whole filetypes.
  std::int64_t data_before(std::int64_t offset) const;

 private:
  void check_offsets();

  std::int64_t displacement_ = 0;
  datatype_ref etype_, filetype_, layout_;
  representation_ref representation_;
  std::int64_t etype_bytes_ = 1;
  bool has_overlaps_ = false;
  bool offsets_grow_ = true;
};

/// Etypes of a view in a file of so many bytes; a last one that the file's end cuts counts.
inline std::int64_t etypes_to_end(const file_view& view, std::int64_t file_bytes) {
  const std::int64_t each = view.etype_bytes();
  return each == 0 ? 0 : (view.data_before(file_bytes) + each - 1) / each;
}

}  // namespace stretto::ranks
