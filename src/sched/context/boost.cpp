// Stack switching through Boost.Context, for processors without a switch of our own.
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>

#include "sched/context/switch.hpp"

namespace stretto::sched {
namespace {
using namespace boost::context::detail;

// A saved stack is the fcontext itself. The stack that is switched to stores the context of the stack that was left.
void arrive(transfer_t from) { *static_cast<saved_stack*>(from.data) = from.fctx; }

void (*prepared_entry)();

}  // namespace

void switch_stack(saved_stack* save, saved_stack to) noexcept { arrive(jump_fcontext(to, save)); }

saved_stack prepare_stack(void* base, std::size_t bytes, void (*entry)()) noexcept {
  prepared_entry = entry;  // every stack of a process has the same entry: the worker loop
  return make_fcontext(static_cast<char*>(base) + bytes, bytes, [](transfer_t from) {
    arrive(from);
    prepared_entry();
  });
}

}  // namespace stretto::sched
