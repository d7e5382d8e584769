// object_copy.hpp - the bytes of one copy of a program or library in a memory file, and the copy once it is loaded.
//
// Threads     one at a time; different copies on different threads.
#pragma once

#include <link.h>

#include <string>
#include <vector>

#include "base/file_descriptor.hpp"
#include "ranks/program/linked/program.h"
#include "ranks/program/private_object.hpp"

namespace stretto::ranks {

class object_copy {
 public:
  /// Writes the copy. Throws R84 if there is no memory.
  explicit object_copy(const private_object& object);

  /// The path of the memory file, which no other copy has had: the system's loader finds objects by their paths.
  const std::string& path() const noexcept { return path_; }
  void write(const patch& change);

  /// Loads the libraries that the object needs and that all copies share, for the life of the process.
  void load_system_libraries() const;
  /// Called once the system's loader has loaded the copy: maps what all copies share, and closes the memory file.
  void finish_loading(link_map* map);
  /// Gives the loader's record of the copy the path that it had. Before the copy is unloaded.
  void restore_path() noexcept;

  const private_object& object() const noexcept { return object_; }
  char* at(std::uint64_t address) const noexcept;

  void add_constructors(std::vector<stretto_constructor>& all) const;
  void add_destructors(std::vector<stretto_destructor>& all) const;
  /// Makes references to a replaced function or variable of the C library refer to the replacement.
  void replace(const stretto_replacement* replacements) const;

 private:
  void share(const Elf64_Phdr& segment) const;
  void set_reference(const Elf64_Rela& relocation, void* address) const;

  const private_object& object_;
  const std::string file_name_;
  base::file_descriptor memory_;
  const std::string path_;
  link_map* map_ = nullptr;
  char* loader_path_ = nullptr;  // the loader's own string, which it frees
};

}  // namespace stretto::ranks
