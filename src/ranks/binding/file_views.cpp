// file_views.cpp - views, positions and the extents of types in files.
#include <cstring>
#include <string>

#include "ranks/binding/file_access.hpp"

namespace stretto::ranks {
namespace {

/// Null: as in memory.
representation_ref find_representation(const std::string& name) {
  if (name == "native" || name == "internal") return nullptr;
  if (name == "external32") return external32_representation();
  const auto& known = current_rank().representations;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  throw call_error(error_class::unsupported_datarep, "the data representation \"" + name + "\" is unknown");
}

std::int64_t displacement_of(rank_file& file, MPI_Offset disp) {
  const bool is_sequential = file.modes.has(file_mode::sequential);
  if (disp == MPI_DISPLACEMENT_CURRENT) {
    if (!is_sequential)
      throw call_error(error_class::argument, "MPI_DISPLACEMENT_CURRENT is for files with MPI_MODE_SEQUENTIAL");
    const file_view& view = *file.seen.view;
    return view.byte_offset(file.shared_position().get() * view.etype_bytes());
  }
  if (is_sequential)
    throw call_error(error_class::argument, "a file with MPI_MODE_SEQUENTIAL needs MPI_DISPLACEMENT_CURRENT");
  return disp;
}

struct view_arguments {
  MPI_Offset disp;
  MPI_Datatype etype;
  MPI_Datatype filetype;
  const char* datarep;
};

set_view view_of(rank_file& file, const view_arguments& a) {
  const std::string name = &required(a.datarep, "datarep");
  const std::int64_t displacement = displacement_of(file, a.disp);
  auto view = std::make_shared<const file_view>(displacement, committed(a.etype), committed(a.filetype),
                                                find_representation(name));
  if (view->has_overlaps() && file.modes.can_write())
    throw call_error(error_class::io, "the filetype shows bytes twice, and the file was opened for writing");
  return {std::move(view), name};
}

/// All ranks get the view, or none does.
void change_view(rank_file& file, const view_arguments& arguments) {
  set_view next;
  std::exception_ptr failed;
  try {
    next = view_of(file, arguments);
  } catch (...) {
    failed = std::current_exception();
  }
  const auto exchange = exchange_of(file);
  const auto extents = gather_value(*exchange, failed ? std::int64_t{-1} : next.view->etype_bytes());
  if (failed) std::rethrow_exception(failed);
  for (const std::int64_t one : extents) {
    if (one != extents[0])
      throw call_error(error_class::not_same, "the etypes of the ranks differ, or the view of one was refused");
  }
  file.seen = std::move(next);
  file.position = 0;
  if (file.is_first()) file.shared_position().set(0);
  meet(*exchange);
}

/// The position in etypes that `offset` from `whence` is; `current` is called for MPI_SEEK_CUR.
template <class Current>
std::int64_t target_of(rank_file& file, MPI_Offset offset, int whence, Current current) {
  const file_view& view = *file.seen.view;
  std::int64_t position = offset;
  if (whence == MPI_SEEK_CUR) position += current();
  else if (whence == MPI_SEEK_END) position += etypes_to_end(view, file.file->bytes());
  else if (whence != MPI_SEEK_SET) throw call_error(error_class::argument, "whence is " + std::to_string(whence));
  if (position >= 0) return position;
  throw call_error(error_class::argument, "the position would be " + std::to_string(position));
}

void refuse_sequential(const rank_file& file) {
  if (file.modes.has(file_mode::sequential))
    throw call_error(error_class::unsupported_operation, "the file was opened with MPI_MODE_SEQUENTIAL");
}

void check_seek(const rank_file& file, creation_exchange& exchange, MPI_Offset offset, int whence) {
  check_same(exchange, offset, "offset");
  check_same(exchange, whence, "whence");
  refuse_sequential(file);
}

template <class Number>
int type_extent(const char* name, MPI_File fh, MPI_Datatype datatype, Number* extent) {
  return call(name, fh, [&] {
    const rank_file& file = object_of(fh);
    required(extent, "extent") = file.seen.view->extent_in_file(object_of(datatype));
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
                       MPI_Info info) {
  return call("MPI_File_set_view", fh, [&] {
    rank_file& file = object_of(fh);
    change_view(file, {disp, etype, filetype, datarep});
    add_file_hints(file.hints, copied(info));
  });
}
STRETTO_MPI_NAME(File_set_view)

int PMPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep) {
  return call("MPI_File_get_view", fh, [&] {
    const set_view& seen = object_of(fh).seen;
    required(disp, "disp") = seen.view->displacement();
    std::strcpy(&required(datarep, "datarep"), seen.representation.c_str());
    required(etype, "etype") = handle_for_program(datatype_ref(&seen.view->etype()));
    required(filetype, "filetype") = handle_for_program(datatype_ref(&seen.view->filetype()));
  });
}
STRETTO_MPI_NAME(File_get_view)

int PMPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  return type_extent("MPI_File_get_type_extent", fh, datatype, extent);
}
STRETTO_MPI_NAME(File_get_type_extent)

int PMPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  return type_extent("MPI_File_get_type_extent_c", fh, datatype, extent);
}
STRETTO_MPI_NAME(File_get_type_extent_c)

int PMPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  return call("MPI_File_get_byte_offset", fh, [&] {
    const rank_file& file = object_of(fh);
    refuse_sequential(file);
    if (offset < 0) throw call_error(error_class::argument, "the offset is " + std::to_string(offset));
    required(disp, "disp") = file.seen.view->byte_offset(offset * file.seen.view->etype_bytes());
  });
}
STRETTO_MPI_NAME(File_get_byte_offset)

int PMPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  return call("MPI_File_seek", fh, [&] {
    rank_file& file = object_of(fh);
    refuse_sequential(file);
    file.position = target_of(file, offset, whence, [&] { return file.position; });
  });
}
STRETTO_MPI_NAME(File_seek)

int PMPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  return call("MPI_File_get_position", fh, [&] {
    const rank_file& file = object_of(fh);
    refuse_sequential(file);
    required(offset, "offset") = file.position;
  });
}
STRETTO_MPI_NAME(File_get_position)

int PMPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  return call("MPI_File_seek_shared", fh, [&] {
    rank_file& file = object_of(fh);
    const auto exchange = exchange_of(file);
    check_seek(file, *exchange, offset, whence);
    shared_position& position = file.shared_position();
    do_for_all(*exchange, file.is_first(),
               [&] { position.set(target_of(file, offset, whence, [&] { return position.get(); })); });
  });
}
STRETTO_MPI_NAME(File_seek_shared)

int PMPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  return call("MPI_File_get_position_shared", fh, [&] {
    const rank_file& file = object_of(fh);
    refuse_sequential(file);
    required(offset, "offset") = file.shared_position().get();
  });
}
STRETTO_MPI_NAME(File_get_position_shared)

}  // extern "C"
