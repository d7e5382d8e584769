// type_in_file.hpp - a datatype as its elements lie in a file with a representation of its own.
//
// Threads     pure.
// Source      MPI 4.1, sections 2.4 and 14.5: displacements of portable datatypes are in extents of the elements, those
//             of others in bytes, which no representation changes.
#pragma once

#include "ranks/files/data_representation.hpp"

namespace stretto::ranks {

/// Committed; consists of bytes.
datatype_ref type_in_file(const datatype& type, const data_representation& as);

}  // namespace stretto::ranks
