// file_hints.cpp - which keys are hints about files.
#include "ranks/files/file_hints.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace stretto::ranks {
namespace {

constexpr std::array<std::string_view, 17> reserved_keys = {"access_style",
                                                            "chunked",
                                                            "chunked_item",
                                                            "chunked_size",
                                                            "collective_buffering",
                                                            "cb_block_size",
                                                            "cb_buffer_size",
                                                            "cb_nodes",
                                                            "file_perm",
                                                            "filename",
                                                            "io_node_list",
                                                            "nb_proc",
                                                            "num_io_nodes",
                                                            "striping_factor",
                                                            "striping_unit",
                                                            "cb_config_list",
                                                            "mpi_minimum_memory_alignment"};

}  // namespace

void add_file_hints(info& hints, const info& given) {
  for (int i = 0; i < given.size(); ++i) {
    const std::string key(given.key(i));
    if (std::find(reserved_keys.begin(), reserved_keys.end(), key) != reserved_keys.end())
      hints.set(key, *given.find(key));
  }
}

}  // namespace stretto::ranks
