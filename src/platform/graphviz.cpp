#include "platform/graphviz.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stretto/error.hpp>

namespace stretto::places {
namespace {

struct file_end {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using file = std::unique_ptr<std::FILE, file_end>;

[[noreturn]] void fail(const std::string& why) { throw error("P14", "the picture cannot be drawn").because(why); }

// Files rather than pipes: whatever the sizes, neither side can wait for the other.
file temporary() {
  file f(std::tmpfile());
  if (!f) fail(std::string("no temporary file: ") + std::strerror(errno));
  return f;
}

std::string content(std::FILE* f) {
  std::string out;
  char part[4096];
  std::rewind(f);
  for (std::size_t n; (n = std::fread(part, 1, sizeof part, f)) > 0;) out.append(part, n);
  return out;
}

}  // namespace

std::string svg_of(const std::string& dot_text, const char* program) {
  const file in = temporary(), out = temporary(), complaints = temporary();
  if (std::fwrite(dot_text.data(), 1, dot_text.size(), in.get()) != dot_text.size() || std::fflush(in.get()) != 0)
    fail(std::string("no room for a temporary file: ") + std::strerror(errno));
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints.get()), STDERR_FILENO);
  std::string name(program), option("-Tsvg");
  char* const arguments[] = {name.data(), option.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);

  int status = 0;
  if (failed == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  if (failed == ENOENT || (failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127))
    throw error("P14", "the picture cannot be drawn")
        .because("the program \"" + name + "\" of Graphviz is not installed")
        .remedy("apt-get install graphviz, or write the graph as text");
  if (failed != 0) fail(name + ": " + std::strerror(failed));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    auto said = content(complaints.get());
    if (const auto line_end = said.find('\n'); line_end != said.npos) said.resize(line_end);
    fail(name + (said.empty() ? " failed and gave no reason" : " said: " + said));
  }
  return content(out.get());
}

}  // namespace stretto::places
