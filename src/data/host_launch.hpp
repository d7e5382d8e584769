// host_launch.hpp - runs a kernel on the workers, within a task.
//
// Threads     any task. The workers share a large range, and the task waits for them.
// Cost        that of the kernel, and the descriptions of its arguments.
#pragma once

#include <boost/container/static_vector.hpp>

#include "data/kernel_arguments.hpp"
#include "device/host_work.hpp"

namespace stretto::data {

/// Arguments of a launch that the calling thread computes in one piece.
using piece_arguments = boost::container::static_vector<kernel_argument, 16>;
/// Whether a launch is computed in one piece: it has few items, and no groups.
bool is_one_piece(const kernel_code& code, const kernel_range& range) noexcept;
/// Runs such a launch. All arrays must exist. Throws K01 if checks find an error.
void run_piece(const kernel_code& code, const kernel_range& range, const piece_arguments& given,
               device::index_checks check);
/// Whether all workers, or only the calling one, compute a large range.
enum class spread : std::uint8_t { all_workers, this_worker };
/// Runs a launch. All arrays must exist. Throws K01 if checks find an error.
void run_on_host(const kernel_code& code, const kernel_range& range, const kernel_arguments& given,
                 device::index_checks check, spread over = spread::all_workers);

}  // namespace stretto::data
