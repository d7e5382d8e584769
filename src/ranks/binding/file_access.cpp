// file_access.cpp - checks accesses, finds their positions, and begins and ends them.
#include "ranks/binding/file_access.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "ranks/binding/status.hpp"
#include "ranks/files/two_phase_access.hpp"
#include "ranks/process/access_span.hpp"
#include "ranks/process/file_exchange.hpp"

namespace stretto::ranks {
namespace {

void check_modes(const rank_file& file, file_direction direction, file_pointer pointer) {
  if (direction == file_direction::read && !file.modes.can_read())
    throw call_error(error_class::access, "the file was opened with MPI_MODE_WRONLY");
  if (direction == file_direction::write && !file.modes.can_write())
    throw call_error(error_class::read_only, "the file was opened with MPI_MODE_RDONLY");
  if (file.modes.has(file_mode::sequential) && pointer != file_pointer::shared)
    throw call_error(error_class::unsupported_operation,
                     "the file was opened with MPI_MODE_SEQUENTIAL, which allows the shared pointer only");
}

/// The data of an access in the file's representation.
struct data_of_access {
  data_part data;
  kept_data kept;
  std::int64_t etypes = 0;
};

std::int64_t etypes_of(const file_view& view, std::int64_t bytes) {
  if (bytes == 0) return 0;
  if (view.etype_bytes() == 0) throw call_error(error_class::io, "the view of the file has no data");
  if (bytes % view.etype_bytes() == 0) return bytes / view.etype_bytes();
  throw call_error(error_class::io, fmt::format("the {} bytes of the access are no multiple of the {} of the etype",
                                                bytes, view.etype_bytes()));
}

data_of_access data_for(const file_view& view, const typed_buffer& buffer, file_direction direction) {
  data_of_access made;
  if (const representation_ref& as = view.representation()) {
    if (direction == file_direction::write) made.kept.bytes = as->to_file(buffer.type, buffer.memory, buffer.count);
    else made.kept.bytes.resize(static_cast<std::size_t>(bytes_in_file(*as, buffer.type, buffer.count)));
    made.data = data_part(made.kept.bytes.data(), std::ssize(made.kept.bytes));
  } else {
    made.data = buffer.data();
    made.kept.type = buffer.kept_type();
  }
  made.etypes = etypes_of(view, made.data.bytes());
  return made;
}

/// A call on a file, with its arguments checked.
class checked_access {
 public:
  checked_access(const file_buffer& buffer, file_direction direction, const file_position& where)
      : file(object_of(buffer.file)), direction_(direction), where_(where) {
    try {
      check(buffer);
    } catch (...) {
      if (!where.is_collective) throw;
      failure_ = std::current_exception();  // the other ranks wait for this one
    }
  }

  /// The request, active. `may_wait`: for other ranks.
  file_request_owner begin(bool may_wait) {
    const file_view& view = *file.seen.view;
    const std::int64_t first = first_etype();
    file_request_owner made(
        new file_request(file.seen.view, std::move(own_.kept),
                         {direction_, &view, first * view.etype_bytes(), std::exchange(own_.data, {})}));
    if (where_.is_collective && may_wait && written_over_nodes(*made)) return made;
    if (where_.is_collective && (may_wait || !view.representation()))
      file.file->join(*made, file.mode, ++file.collective_accesses);
    else file.file->start(*made, file.mode);
    return made;
  }

  /// Waits for the request and reports how it ended.
  void end(file_request& one, MPI_Status* status) {
    wait_for(one);
    one.deactivate();
    message_status result = one.status;
    if (failure_) std::rethrow_exception(failure_);
    if (buffer_ && direction_ == file_direction::read && file.seen.view->representation()) result.bytes = decode(one);
    else if (buffer_ && !one.failure() && direction_ == file_direction::write)
      result.bytes = buffer_->count * buffer_->type.size();
    write_status(status, result);
    if (one.failure()) throw call_error(*one.failure());
  }

  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  std::int64_t bytes() const { return own_.data.bytes(); }
  /// Whether data is converted after it was read, by the calling rank.
  bool converts() const { return file.seen.view->representation() != nullptr; }

  rank_file& file;

 private:
  void check(const file_buffer& buffer) {
    check_modes(file, direction_, where_.pointer);
    if (where_.pointer == file_pointer::given && where_.offset < 0)
      throw call_error(error_class::argument, fmt::format("the offset is {}", where_.offset));
    if (where_.is_collective && file.split)
      throw call_error(error_class::other,
                       fmt::format("{}_begin was called before, and not its end", file.split->name));
    buffer_.emplace(buffer.memory, buffer.count, buffer.type);
    own_ = data_for(*file.seen.view, *buffer_, direction_);
  }

  std::int64_t first_etype() {
    switch (where_.pointer) {
      case file_pointer::given: return failure_ ? 0 : where_.offset;
      case file_pointer::own: return std::exchange(file.position, file.position + own_.etypes);
      default: return where_.is_collective ? ordered_etype() : file.shared_position().advance(own_.etypes);
    }
  }
  /// Behind what the ranks before this one access.
  std::int64_t ordered_etype() {
    const auto exchange = exchange_of(file);
    const auto counts = gather_value(*exchange, own_.etypes);
    std::int64_t before = 0, all = 0;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      if (static_cast<int>(rank) < file.comm->rank()) before += counts[rank];
      all += counts[rank];
    }
    const std::int64_t begin = file.is_first() ? file.shared_position().advance(all) : 0;
    return gather_value(*exchange, begin)[0] + before;
  }

  /// Whether ranks have written for all, where short runs of several nodes interleave: then the request is done.
  bool written_over_nodes(file_request& made) {
    if (direction_ == file_direction::read || file.is_on_one_node || file.mode == access_mode::atomic) return false;
    file_exchange ranks(*file.comm);
    const access_extent own = extent_of(made.access());
    const auto extents = values_of<access_extent>(ranks.gather(bytes_of(std::span(&own, 1))));
    const std::vector<int>& nodes = file.comm->members().nodes;
    if (!has_interleaved_nodes(extents, nodes)) return false;
    made.activate_done();
    try {
      two_phase_access all(made.access(), extents, nodes, ranks);
      all.perform({file.file->descriptor(), [this](const auto& write) { file.file->run_blocking(write); }});
      made.set_bytes(own.bytes);
    } catch (const call_error& error) {
      made.set_failure(error);
    }
    return true;
  }

  std::int64_t decode(const file_request& one) const {
    const representation_ref& as = file.seen.view->representation();
    return as->from_file(buffer_->type, const_cast<void*>(buffer_->memory), one.bytes_read());
  }

  const file_direction direction_;
  const file_position where_;
  std::optional<typed_buffer> buffer_;
  data_of_access own_;
  std::exception_ptr failure_;
};

/// A read whose data must be converted ends in the call that begins it: functions of the program convert it.
void end_if_converted(checked_access& access, file_request& begun) {
  access.throw_failure();
  if (!access.converts()) return;
  MPI_Status status;
  access.end(begun, &status);
  begun.activate_done();
  begun.set_bytes(bytes_of(status));
}

}  // namespace

int access_file(const char* name, file_direction direction, const file_position& where, const file_buffer& buffer,
                MPI_Status* status) {
  return call(name, buffer.file, [&] {
    checked_access access(buffer, direction, where);
    const access_span span(access.bytes());
    const file_request_owner one = access.begin(true);
    access.end(*one, status);
  });
}

int begin_file_access(const char* name, file_direction direction, const file_position& where, const file_buffer& buffer,
                      MPI_Request* request) {
  return call(name, buffer.file, [&] {
    MPI_Request& made = required(request, "request");
    checked_access access(buffer, direction, where);
    const access_span span(access.bytes());
    file_request_owner one = access.begin(false);
    end_if_converted(access, *one);
    made = reinterpret_cast<MPI_Request>(static_cast<ranks::request*>(one.release()));
  });
}

int begin_split_access(const char* name, file_direction direction, const file_position& where,
                       const file_buffer& buffer) {
  return call(name, buffer.file, [&] {
    checked_access access(buffer, direction, where);
    const access_span span(access.bytes());
    file_request_owner one = access.begin(true);
    end_if_converted(access, *one);
    access.file.split = split_access{name, std::move(one)};
  });
}

int end_split_access(const char* name, MPI_File handle, MPI_Status* status) {
  return call(name, handle, [&] {
    rank_file& file = object_of(handle);
    if (!file.split || file.split->name != std::string(name))
      throw call_error(error_class::other, fmt::format("{}_begin was not called before", name));
    const file_request_owner one = std::move(file.split->request);
    file.split.reset();
    end_span_by_call();
    wait_for(*one);
    one->deactivate();
    write_status(status, one->status);
    if (one->failure()) throw call_error(*one->failure());
  });
}

}  // namespace stretto::ranks
