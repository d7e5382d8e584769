#include "kept_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace stretto::shmem {

void keep_loaded_components() {
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void*) {
        const std::string_view path = library->dlpi_name;
        if (path.find("/mca_") != path.npos) dlopen(library->dlpi_name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
        return 0;
      },
      nullptr);
}

}  // namespace stretto::shmem
