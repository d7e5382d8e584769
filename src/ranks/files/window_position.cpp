#include "ranks/files/window_position.hpp"

#include <source_location>

namespace stretto::ranks {
namespace {

using number = std::int64_t;

const datatype& type_of_number() { return *predefined_type(0x258); }  // MPI_INT64_T

window_shape shape_for(const communicator& of_file) {
  const number bytes = of_file.rank() == 0 ? sizeof(number) : 0;
  return {window_flavor::allocate, {nullptr, bytes, sizeof(number)}};
}

}  // namespace

window_position::window_position(communicator& of_file, const window_site& site)
    : window_(create_window(of_file, shape_for(of_file), site)) {}

number window_position::change(predefined_operator how, number operand) {
  number before = 0;
  window_target& owner = window_->target(0);
  owner.begin({.kind = access_kind::get_accumulate,
               .origin = {&operand, 1, &type_of_number()},
               .result = {&before, 1, &type_of_number()},
               .target = {0, 1, &type_of_number()},
               .operation = predefined_operation(static_cast<std::uintptr_t>(how))});
  owner.flush(std::source_location::current());
  return before;
}

number window_position::get() { return change(predefined_operator::sum, 0); }

void window_position::set(number position) { change(predefined_operator::replace, position); }

number window_position::advance(number etypes) { return change(predefined_operator::sum, etypes); }

}  // namespace stretto::ranks
