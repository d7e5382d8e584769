// window_attributes.cpp - attributes and error handlers of windows; attributes.cpp makes the keys.
#include <utility>

#include "ranks/binding/call.hpp"
#include "ranks/binding/window_handles.hpp"

namespace stretto::ranks {
namespace {

constexpr auto of_windows = attribute_owner::window;

/// The value of a predefined attribute, or the one that a program set.
std::optional<void*> attribute_of(rank_window& of, int number) {
  if (const window_attribute predefined = predefined_attribute(of.predefined(), number); predefined.is_key)
    return predefined.value;
  return of.attributes().find(current_rank().keyvals.find(number, of_windows)->number);
}

}  // namespace
}  // namespace stretto::ranks

using namespace stretto::ranks;

extern "C" {

int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  return call("MPI_Win_set_attr", {.win = win}, [&] {
    object_of(win).attributes().set(current_rank().keyvals.find(win_keyval, of_windows), attribute_val, win);
  });
}
STRETTO_MPI_NAME(Win_set_attr)

int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  return call("MPI_Win_get_attr", {.win = win}, [&] {
    void*& value = required(static_cast<void**>(attribute_val), "attribute_val");
    const auto found = attribute_of(object_of(win), win_keyval);
    required(flag, "flag") = found.has_value();
    if (found) value = *found;
  });
}
STRETTO_MPI_NAME(Win_get_attr)

int PMPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  return call("MPI_Win_delete_attr", {.win = win}, [&] {
    const auto key = current_rank().keyvals.find(win_keyval, of_windows);
    object_of(win).attributes().remove(key->number, win);
  });
}
STRETTO_MPI_NAME(Win_delete_attr)

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  return call("MPI_Win_set_errhandler", {.win = win}, [&] {
    rank_window& changed = object_of(win);
    error_handler_ref handler = object_of(errhandler);
    if (!handler->fits(error_owner::window))
      throw call_error(error_class::errhandler, "the error handler is for objects of another kind");
    changed.set_handler(std::move(handler));
  });
}
STRETTO_MPI_NAME(Win_set_errhandler)

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  return call("MPI_Win_get_errhandler", {.win = win},
              [&] { required(errhandler, "errhandler") = new_handle(object_of(win).handler()); });
}
STRETTO_MPI_NAME(Win_get_errhandler)

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  return call("MPI_Win_call_errhandler", {.win = win}, [&] {
    rank_window& of = object_of(win);
    const std::string text = current_rank().codes.text_of(errorcode);
    react({of.handler(), win, of.comm()}, errorcode,
          "error: MPI_Win_call_errhandler was called\n  what      " + text + '\n');
  });
}
STRETTO_MPI_NAME(Win_call_errhandler)

}  // extern "C"
