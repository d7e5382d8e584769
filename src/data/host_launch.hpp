// host_launch.hpp - a kernel on the workers, from within a task.
//
// Threads     any task; large ranges are spread over the workers, and the task waits for them.
// Cost        the kernel's own, and the descriptions of its arguments.
#pragma once

#include <boost/container/static_vector.hpp>

#include "data/kernel_arguments.hpp"
#include "device/host_work.hpp"

namespace stretto::data {

/// Arguments of a launch that is computed where the caller is, in one go.
using piece_arguments = boost::container::static_vector<kernel_argument, 16>;
/// Whether a launch is such a one: of few items, and not in groups.
bool is_one_piece(const kernel_code& code, const kernel_range& range) noexcept;
/// Then: all arrays exist. Throws what a checked kernel finds (K01).
void run_piece(const kernel_code& code, const kernel_range& range, const piece_arguments& given,
               device::index_checks check);
/// A large range is computed by all workers, or by the caller's alone.
enum class spread : std::uint8_t { all_workers, this_worker };
/// All arrays exist. Throws what a checked kernel finds (K01).
void run_on_host(const kernel_code& code, const kernel_range& range, const kernel_arguments& given,
                 device::index_checks check, spread over = spread::all_workers);

}  // namespace stretto::data
