// collective_call.cpp - the builder of each kind.
#include "ranks/collectives/collective_call.hpp"

#include "ranks/heap/readonly_buffers.hpp"

namespace stretto::ranks {
namespace {

void report_messages(const collective_call& call) {
  data_part into = call.own.data();
  into.mark_received(call.variable);
  report_copy_of(into, "the collective does not block, or is not one of a single node");
}

}  // namespace

void build(schedule& steps, const collective_group& group, const collective_call& call) {
  if (call.variable) report_messages(call);
  switch (call.kind) {
    case collective_kind::barrier: return build_barrier(steps, group);
    case collective_kind::broadcast: return build_broadcast(steps, group, call.own, call.root);
    case collective_kind::gather: return build_gather(steps, group, call.own, call.received, call.root);
    case collective_kind::gatherv: return build_gatherv(steps, group, call.own, call.received, call.root);
    case collective_kind::scatter: return build_scatter(steps, group, call.sent, call.own, call.root);
    case collective_kind::scatterv: return build_scatterv(steps, group, call.sent, call.own, call.root);
    case collective_kind::allgather: return build_allgather(steps, group, call.own, call.received);
    case collective_kind::alltoall: return build_alltoall(steps, group, call.sent, call.received);
    case collective_kind::reduce: return build_reduce(steps, group, call.values, call.root);
    case collective_kind::allreduce: return build_allreduce(steps, group, call.values);
    case collective_kind::reduce_scatter: return build_reduce_scatter(steps, group, call.values, call.counts);
    case collective_kind::reduce_scatter_block: return build_reduce_scatter_block(steps, group, call.values);
    case collective_kind::scan: return build_scan(steps, group, call.values);
    case collective_kind::exscan: return build_exscan(steps, group, call.values);
  }
}

}  // namespace stretto::ranks
