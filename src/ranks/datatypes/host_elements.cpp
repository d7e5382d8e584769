#include "ranks/datatypes/host_elements.hpp"

#include "ranks/datatypes/data_part.hpp"
#include "ranks/datatypes/device_memory.hpp"
#include "ranks/datatypes/moved_address.hpp"

namespace stretto::ranks {

host_elements::host_elements(const void* elements, std::int64_t count, const datatype& type)
    : elements_(const_cast<void*>(elements)), count_(count), type_(type) {
  if (count == 0 || !device_memory_at(moved(elements, type.bounds().true_lb))) return;
  on_host_ = memory_.make(count, type);
  copy_part(data_part(on_host_, count, type), data_part(elements, count, type));
}

void host_elements::write_back() {
  if (on_host_) copy_part(data_part(elements_, count_, type_), data_part(on_host_, count_, type_));
}

}  // namespace stretto::ranks
