#include "start_call.hpp"

#include "new_parts.hpp"

namespace stretto::mpi {

using detail::call_kind;

bool return_errors(MPI_Comm comm) {
  MPI_Errhandler present;
  if (MPI_Comm_get_errhandler(comm, &present) != MPI_SUCCESS) return false;
  const bool is_fatal = present == MPI_ERRORS_ARE_FATAL;
  if (is_fatal) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&present);
  return is_fatal;
}

int start_call(const detail::call& c, MPI_Request* r) {
  const void* const out = c.out.at;
  void* const in = const_cast<void*>(c.in.at);
  const int outs = static_cast<int>(c.out.count), ins = static_cast<int>(c.in.count);
  const auto* const l = c.lists.get();
  const int *out_counts = l ? l->out_counts.data() : nullptr, *out_offsets = l ? l->out_offsets.data() : nullptr;
  const int *in_counts = l ? l->in_counts.data() : nullptr, *in_offsets = l ? l->in_offsets.data() : nullptr;
  if (r) *r = MPI_REQUEST_NULL;
  switch (c.kind) {
    case call_kind::send: return MPI_Isend(out, outs, c.out.type, c.peer, c.tag, c.comm, r);
    case call_kind::ssend: return MPI_Issend(out, outs, c.out.type, c.peer, c.tag, c.comm, r);
    case call_kind::recv: return MPI_Irecv(in, ins, c.in.type, c.peer, c.tag, c.comm, r);
    case call_kind::mrecv: {
      MPI_Message m = c.message;
      return MPI_Imrecv(in, ins, c.in.type, &m, r);
    }
    case call_kind::probe:
    case call_kind::mprobe: return MPI_SUCCESS;  // asked for again and again, by the engine
    case call_kind::request: *r = c.request; return MPI_SUCCESS;

    case call_kind::barrier: return MPI_Ibarrier(c.comm, r);
    case call_kind::bcast: return MPI_Ibcast(in, ins, c.in.type, c.peer, c.comm, r);
    case call_kind::reduce: return MPI_Ireduce(out, in, outs, c.out.type, c.op, c.peer, c.comm, r);
    case call_kind::allreduce: return MPI_Iallreduce(out, in, ins, c.in.type, c.op, c.comm, r);
    case call_kind::scan: return MPI_Iscan(out, in, outs, c.out.type, c.op, c.comm, r);
    case call_kind::exscan: return MPI_Iexscan(out, in, outs, c.out.type, c.op, c.comm, r);
    case call_kind::reduce_scatter: return MPI_Ireduce_scatter(out, in, in_counts, c.in.type, c.op, c.comm, r);
    case call_kind::reduce_scatter_block: return MPI_Ireduce_scatter_block(out, in, ins, c.in.type, c.op, c.comm, r);
    case call_kind::gather: return MPI_Igather(out, outs, c.out.type, in, ins, c.in.type, c.peer, c.comm, r);
    case call_kind::gatherv:
      return MPI_Igatherv(out, outs, c.out.type, in, in_counts, in_offsets, c.in.type, c.peer, c.comm, r);
    case call_kind::scatter: return MPI_Iscatter(out, outs, c.out.type, in, ins, c.in.type, c.peer, c.comm, r);
    case call_kind::scatterv:
      return MPI_Iscatterv(out, out_counts, out_offsets, c.out.type, in, ins, c.in.type, c.peer, c.comm, r);
    case call_kind::allgather: return MPI_Iallgather(out, outs, c.out.type, in, ins, c.in.type, c.comm, r);
    case call_kind::allgatherv:
      return MPI_Iallgatherv(out, outs, c.out.type, in, in_counts, in_offsets, c.in.type, c.comm, r);
    case call_kind::alltoall: return MPI_Ialltoall(out, outs, c.out.type, in, ins, c.in.type, c.comm, r);
    case call_kind::alltoallv:
      return MPI_Ialltoallv(out, out_counts, out_offsets, c.out.type, in, in_counts, in_offsets, c.in.type, c.comm, r);
    case call_kind::comm_dup: return MPI_Comm_idup(c.comm, static_cast<MPI_Comm*>(in), r);

    case call_kind::put: return MPI_Rput(out, outs, c.out.type, c.peer, c.offset, outs, c.out.type, c.window, r);
    case call_kind::get: return MPI_Rget(in, ins, c.in.type, c.peer, c.offset, ins, c.in.type, c.window, r);
    case call_kind::accumulate:
      return MPI_Raccumulate(out, outs, c.out.type, c.peer, c.offset, outs, c.out.type, c.op, c.window, r);
    case call_kind::get_accumulate:
      return MPI_Rget_accumulate(out, outs, c.out.type, in, ins, c.in.type, c.peer, c.offset, outs, c.out.type, c.op,
                                 c.window, r);
    case call_kind::compare_and_swap: {
      int bytes = 0;
      MPI_Type_size(c.out.type, &bytes);
      const int code =
          MPI_Compare_and_swap(out, static_cast<const char*>(out) + bytes, in, c.out.type, c.peer, c.offset, c.window);
      return code != MPI_SUCCESS ? code : MPI_Win_flush(c.peer, c.window);
    }
    case call_kind::flush: return MPI_Win_flush(c.peer, c.window);
    case call_kind::flush_all: return MPI_Win_flush_all(c.window);

    case call_kind::win_allocate: {
      auto& made = *static_cast<new_window*>(in);
      const int code = MPI_Win_allocate(made.bytes, made.unit, MPI_INFO_NULL, c.comm, &made.memory, &made.is);
      if (code != MPI_SUCCESS) return code;
      MPI_Win_set_errhandler(made.is, MPI_ERRORS_RETURN);
      return MPI_Win_lock_all(MPI_MODE_NOCHECK, made.is);
    }
    case call_kind::look_at: {
      auto& known = *static_cast<known_comm*>(in);
      return_errors(known.is);
      const int code = MPI_Comm_rank(known.is, &known.rank);
      return code != MPI_SUCCESS ? code : MPI_Comm_size(known.is, &known.size);
    }
    case call_kind::comm_free: {
      MPI_Comm comm = c.comm;
      return MPI_Comm_free(&comm);
    }
    case call_kind::win_sync: return MPI_Win_sync(c.window);
    case call_kind::win_free: {
      const int code = MPI_Win_unlock_all(c.window);
      if (code != MPI_SUCCESS) return code;
      MPI_Win window = c.window;
      return MPI_Win_free(&window);
    }
  }
  return MPI_ERR_OTHER;
}

}  // namespace stretto::mpi
