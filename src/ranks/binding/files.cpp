// files.cpp - opens, closes and deletes files; their sizes, modes, hints and error handlers.
#include <string>
#include <utility>

#include "ranks/binding/creation.hpp"
#include "ranks/binding/file_access.hpp"
#include "ranks/binding/window_call_site.hpp"
#include "ranks/files/window_position.hpp"

namespace stretto::ranks {
namespace {

/// Of the same ranks: the file has messages of its own, and none of the program's attributes.
created_communicator communicator_like(communicator& given) {
  if (given.is_intercommunicator()) throw call_error(error_class::comm, "a file needs an intracommunicator");
  return create(given, given.members().local, creation_over(given).site());
}

int node_of_caller() {
  rank_state& state = current_rank();
  return state.node_of ? state.node_of(caller().number()) : 0;
}

std::unique_ptr<rank_file> opened_by(communicator& given, const std::string& path, int amode, MPI_Info hints) {
  rank_state& state = current_rank();
  const file_modes modes(amode);
  created_communicator comm = communicator_like(given);
  const auto exchange = state.exchanges->over(*comm);
  opened_file opened = open_together(*exchange, {comm->rank(), node_of_caller()}, path, modes, caller().node().files());
  auto file = std::make_unique<rank_file>(std::move(opened), std::move(comm), modes, state.file_handler);
  add_file_hints(file->hints, copied(hints));
  if (modes.has(file_mode::append)) file->position = file->file->bytes();
  if (!file->is_on_one_node) {
    window_call_site over(*file->comm);
    file->position_over_nodes = std::make_unique<window_position>(*file->comm, over.site());
  }
  if (file->is_first()) file->shared_position().set(file->position);
  meet(*exchange);
  return file;
}

/// When it returns, no node has the file open.
void close(rank_file& file) {
  const auto exchange = exchange_of(file);
  meet(*exchange);
  const std::string path = file.file->path();
  file.position_over_nodes.reset();
  file.file = {};
  const bool deletes = file.is_first() && file.modes.has(file_mode::delete_on_close);
  do_for_all(*exchange, deletes, [&] { delete_file(path); });
}

void check_can_write(const rank_file& file) {
  if (!file.modes.can_write()) throw call_error(error_class::read_only, "the file was opened with MPI_MODE_RDONLY");
}

/// Changes a file's size on one rank, for all.
template <class Change>
int change_size(const char* name, MPI_File fh, MPI_Offset size, Change change) {
  return call(name, fh, [&] {
    rank_file& file = object_of(fh);
    const auto exchange = exchange_of(file);
    check_same(*exchange, size, "size");
    check_can_write(file);
    if (size < 0) throw call_error(error_class::argument, "the size is " + std::to_string(size));
    do_for_all(*exchange, file.is_first(), [&] { change(*file.file, size); });
  });
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  return call("MPI_File_open", MPI_FILE_NULL, [&] {
    required(fh, "fh") = MPI_FILE_NULL;
    *fh =
        reinterpret_cast<MPI_File>(opened_by(object_of(comm), &required(filename, "filename"), amode, info).release());
  });
}
STRETTO_MPI_NAME(File_open)

int PMPI_File_close(MPI_File* fh) {
  MPI_File closed = fh ? *fh : MPI_FILE_NULL;
  return call("MPI_File_close", closed, [&] {
    required(fh, "fh");
    const std::unique_ptr<rank_file> file(&object_of(closed));
    *fh = closed = MPI_FILE_NULL;
    close(*file);
  });
}
STRETTO_MPI_NAME(File_close)

int PMPI_File_delete(const char* filename, MPI_Info) {
  return call("MPI_File_delete", MPI_FILE_NULL, [&] { delete_file(&required(filename, "filename")); });
}
STRETTO_MPI_NAME(File_delete)

int PMPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  return call("MPI_File_get_size", fh, [&] { required(size, "size") = object_of(fh).file->bytes(); });
}
STRETTO_MPI_NAME(File_get_size)

int PMPI_File_set_size(MPI_File fh, MPI_Offset size) {
  return change_size("MPI_File_set_size", fh, size, [](open_file& file, std::int64_t to) { file.set_bytes(to); });
}
STRETTO_MPI_NAME(File_set_size)

int PMPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  return change_size("MPI_File_preallocate", fh, size, [](open_file& file, std::int64_t to) { file.preallocate(to); });
}
STRETTO_MPI_NAME(File_preallocate)

int PMPI_File_sync(MPI_File fh) {
  return call("MPI_File_sync", fh, [&] {
    rank_file& file = object_of(fh);
    const auto exchange = exchange_of(file);
    meet(*exchange);  // what other ranks of the node have written is synchronized as well
    do_for_all(*exchange, file.leads_node, [&] { file.file->synchronize(); });
  });
}
STRETTO_MPI_NAME(File_sync)

int PMPI_File_get_amode(MPI_File fh, int* amode) {
  return call("MPI_File_get_amode", fh, [&] { required(amode, "amode") = object_of(fh).modes.bits(); });
}
STRETTO_MPI_NAME(File_get_amode)

int PMPI_File_get_group(MPI_File fh, MPI_Group* group) {
  return call("MPI_File_get_group", fh,
              [&] { required(group, "group") = new_handle(object_of(fh).comm->members().local); });
}
STRETTO_MPI_NAME(File_get_group)

int PMPI_File_set_atomicity(MPI_File fh, int flag) {
  return call("MPI_File_set_atomicity", fh, [&] {
    rank_file& file = object_of(fh);
    check_same(*exchange_of(file), flag != 0, "flag");
    file.mode = flag ? access_mode::atomic : access_mode::usual;
  });
}
STRETTO_MPI_NAME(File_set_atomicity)

int PMPI_File_get_atomicity(MPI_File fh, int* flag) {
  return call("MPI_File_get_atomicity", fh,
              [&] { required(flag, "flag") = object_of(fh).mode == access_mode::atomic; });
}
STRETTO_MPI_NAME(File_get_atomicity)

int PMPI_File_set_info(MPI_File fh, MPI_Info info) {
  return call("MPI_File_set_info", fh, [&] { add_file_hints(object_of(fh).hints, copied(info)); });
}
STRETTO_MPI_NAME(File_set_info)

int PMPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  return call("MPI_File_get_info", fh, [&] { required(info_used, "info_used") = new_handle(object_of(fh).hints); });
}
STRETTO_MPI_NAME(File_get_info)

int PMPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  return call("MPI_File_set_errhandler", file, [&] {
    error_handler_ref handler = object_of(errhandler);
    if (!handler->fits(error_owner::file))
      throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
    (file == MPI_FILE_NULL ? current_rank().file_handler : object_of(file).handler) = std::move(handler);
  });
}
STRETTO_MPI_NAME(File_set_errhandler)

int PMPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  return call("MPI_File_get_errhandler", file, [&] {
    required(errhandler, "errhandler") =
        new_handle(file == MPI_FILE_NULL ? current_rank().file_handler : object_of(file).handler);
  });
}
STRETTO_MPI_NAME(File_get_errhandler)

int PMPI_File_call_errhandler(MPI_File fh, int errorcode) {
  return call("MPI_File_call_errhandler", fh, [&] {
    rank_state& state = current_rank();
    const bool is_open = fh != MPI_FILE_NULL;
    const concerned_object of{is_open ? object_of(fh).handler : state.file_handler, fh,
                              is_open ? *object_of(fh).comm : state.world};
    react(of, errorcode,
          "error: MPI_File_call_errhandler was called\n  what      " + state.codes.text_of(errorcode) + '\n');
  });
}
STRETTO_MPI_NAME(File_call_errhandler)

}  // extern "C"
