// hang NAME: runs one program; without a name, lists all.
#include <csignal>
#include <cstring>

#include "hang_programs.hpp"

int main(int argc, char** argv) {
  std::signal(SIGUSR1, SIG_IGN);  // who asks too late, when the runtime has ended, is not to kill
  for (const auto* list : {hang::event_hangs, hang::cycle_hangs, hang::object_hangs, hang::thread_hangs,
                           hang::unproven_hangs, hang::node_hangs, hang::healthy_programs})
    for (; list->name; ++list)
      if (argc < 2) {
        std::puts(list->name);
      } else if (std::strcmp(argv[1], list->name) == 0) {
        stretto::runtime rt({.workers = list->workers});
        list->run(rt);
        return 0;
      }
  return argc < 2 ? 0 : 2;
}
