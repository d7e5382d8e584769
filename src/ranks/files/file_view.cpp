// file_view.cpp - from positions to offsets, and back.
#include "ranks/files/file_view.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ranks/call_error.hpp"
#include "ranks/files/type_in_file.hpp"

namespace stretto::ranks {
namespace {

const datatype& type_of_bytes() { return *predefined_type(0x247); }  // MPI_BYTE

[[noreturn]] void refuse_filetype(const std::string& why) { throw call_error(error_class::io, why); }

}  // namespace

file_view::file_view() : file_view(0, type_of_bytes(), type_of_bytes(), nullptr) {}

file_view::file_view(std::int64_t displacement, const datatype& etype, const datatype& filetype,
                     representation_ref representation)
    : displacement_(displacement),
      etype_(&etype),
      filetype_(&filetype),
      layout_(representation ? type_in_file(filetype, *representation) : filetype_),
      representation_(std::move(representation)),
      etype_bytes_(representation_ ? type_in_file(etype, *representation_)->size() : etype.size()) {
  layout_->commit();
  if (displacement < 0) throw call_error(error_class::argument, "the displacement is " + std::to_string(displacement));
  if (etype_bytes_ == 0 ? layout_->size() > 0 : layout_->size() % etype_bytes_ != 0)
    refuse_filetype("the filetype has " + std::to_string(filetype.size()) + " bytes, which are no multiple of the " +
                    std::to_string(etype.size()) + " of the etype");
  check_offsets();
}

void file_view::check_offsets() {
  const datatype& type = *layout_;
  if (type.size() == 0) return;
  if (displacement_ + type.bounds().true_lb < 0) refuse_filetype("the filetype has data before the begin of the file");
  const std::int64_t first = displacement_ + type.bounds().true_lb;
  std::int64_t start = first, end = first;  // of the last run, and of all
  for (file_cursor at(*this, 0, type.size()); at.left() > 0; at.advance(at.run_left())) {
    if (at.offset() < start) refuse_filetype("the displacements in the filetype do not grow");
    start = at.offset();
    has_overlaps_ |= start < end;
    end = std::max(end, start + at.run_left());
  }
  if (type.extent() <= 0) refuse_filetype("the extent of the filetype is " + std::to_string(type.extent()));
  offsets_grow_ = !has_overlaps_ && end <= first + type.extent();
}

std::int64_t file_view::extent_in_file(const datatype& type) const {
  return representation_ ? type_in_file(type, *representation_)->extent() : type.extent();
}

std::int64_t file_view::byte_offset(std::int64_t position) const {
  if (layout_->size() == 0) return displacement_;
  return file_cursor(*this, position, 1).offset();
}

std::int64_t file_view::data_before(std::int64_t offset) const {
  const datatype& type = *layout_;
  const std::int64_t from_start = offset - displacement_;
  if (type.size() == 0 || from_start <= type.bounds().true_lb) return 0;
  if (!offsets_grow_)
    return std::max<std::int64_t>(0, from_start - type.bounds().true_ub + type.extent()) / type.extent() * type.size();
  std::int64_t least = std::max<std::int64_t>(0, (from_start - type.bounds().true_ub) / type.extent()) * type.size();
  std::int64_t most = ((from_start - type.bounds().true_lb) / type.extent() + 1) * type.size();
  while (least < most) {
    const std::int64_t middle = least + (most - least) / 2;
    if (byte_offset(middle) < offset) least = middle + 1;
    else most = middle;
  }
  return least;
}

}  // namespace stretto::ranks
