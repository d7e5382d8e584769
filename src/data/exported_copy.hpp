// exported_copy.hpp - copies elements of an attachment of this node to a target on this node.
//
// Threads     any thread of the runtime.
#pragma once

#include "data/attachments.hpp"

namespace stretto::data {

/// Exports the elements and copies them to the target; `shift` is added to a coordinate there to find that of the
/// array. Releases the export when the copy has ended. Throws G06 if nothing holds that number.
event copy_exported(const attachments& all, attachment_number number, const box& part, const point& shift,
                    destination to, const std::source_location& where, base::thread_context& context);

}  // namespace stretto::data
