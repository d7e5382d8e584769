// hang NAME: runs one program that hangs; without a name, lists them.
#include <cstring>

#include "hang.hpp"

int main(int argc, char** argv) {
  for (const auto* list : {hang::of_events, hang::of_cycles, hang::of_objects, hang::of_threads, hang::not_proven})
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
