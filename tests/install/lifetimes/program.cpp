// program KIND END [PLUGIN]: uses a runtime of that kind and ends that way. Exit codes: 0 as expected, 3 exit() in a
// task, 4 an exception.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "lifetime.hpp"

namespace {

bool is_asked_for(const char* kind) {
  const char* const asked = std::getenv("LIFETIME");
  return asked && std::string(asked) == kind;
}

std::unique_ptr<stretto::runtime> made_if(bool is_wanted) {
  return is_wanted ? std::make_unique<stretto::runtime>(stretto::runtime_options{.workers = 2}) : nullptr;
}

const std::unique_ptr<stretto::runtime> global = made_if(is_asked_for("global") || is_asked_for("child"));

int use_static_local(const std::string& how) {
  static stretto::runtime rt({.workers = 2});
  return use(rt, how);
}

int use_on_stack(const std::string& how) {
  stretto::runtime rt({.workers = 2});
  return use(rt, how);
}

/// The outer runtime goes on, whatever the inner one was to do.
int use_in_task(const std::string& how) {
  stretto::runtime outer({.workers = 2});
  const std::string refused = outer.run([&] {
    return stretto::async([&] {
             try {
               stretto::runtime inner({.workers = 2});
               use(inner, how);
             } catch (const stretto::error& e) {
               return e.code();
             }
             return std::string("nothing was thrown");
           })
        .get();
  });
  std::printf("%s\n", refused.c_str());
  return use(outer, how);
}

int use_in_child(const std::string& how) {
  use(*global, "return");
  const pid_t child = fork();
  if (child == 0) return use_on_stack(how);  // main goes on in the child, and leaves the parent's runtime alone
  int status = 0;
  waitpid(child, &status, 0);
  use(*global, "return");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int use_in_plugin(const char* file, const std::string& how) {
  void* const plugin = dlopen(file, RTLD_NOW);
  if (!plugin) return std::puts(dlerror()), 98;
  const int code = reinterpret_cast<int (*)(const char*)>(dlsym(plugin, "use_plugin"))(how.c_str());
  if (how == "return") dlclose(plugin);
  return code;
}

}  // namespace

int main(int, char** v) try {
  const std::string kind = v[1], how = v[2];
  if (kind == "global") return use(*global, how);
  if (kind == "static") return use_static_local(how);
  if (kind == "stack") return use_on_stack(how);
  if (kind == "task") return use_in_task(how);
  if (kind == "child") return use_in_child(how);
  return use_in_plugin(v[3], how);
} catch (const std::exception& e) {
  std::printf("%s\n", e.what());
  return 4;
}
