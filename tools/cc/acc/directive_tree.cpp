#include "cc/acc/directive_tree.hpp"

#include <fmt/format.h>

#include <string>

#include "cc/acc/directive_parser.hpp"
#include "cc/acc/directive_rules.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

using d = directive_kind;

std::string line_text(const source_line& where) { return fmt::format("{}:{}", where.file, where.line); }

error wrong_statement(const directive& what, const std::string& found, std::string because) {
  return error("O05", fmt::format("the directive \"{}\" does not stand ahead of its statement", name_of(what.kind)))
      .fact("at", line_text(what.where))
      .fact("followed by", found)
      .because(std::move(because))
      .remedy("put the directive on the line above its statement");
}

error wrong_place(const directive& what, const directive& around, std::string because, std::string remedy) {
  return error("O06", fmt::format("the directive \"{}\" may not stand inside \"{}\"", name_of(what.kind),
                                  name_of(around.kind)))
      .fact("at", line_text(what.where))
      .fact("inside", line_text(around.where))
      .because(std::move(because))
      .remedy(std::move(remedy));
}

/// Throws O05 if the statement [first, last) is none that the directive may govern.
void check_statement(const directive& what, const tokens& program, std::size_t first, std::size_t last) {
  if (!governs_statement(what.kind)) return;
  const std::string found = first < program.size() ? program[first].spelling : "the end of the file";
  if (first == last) throw wrong_statement(what, found, "no statement begins there");
  if (is_loop(what.kind) && !(program[first] == "for"))
    throw wrong_statement(what, found, "it governs a loop that is written with \"for\"");
  const bool is_block = program[first] == "{";
  if (what.kind == d::atomic && is_block && !what.find(clause_kind::capture))
    throw wrong_statement(what, found, "a block may be atomic with the clause capture alone");
}

/// Throws O06 if a directive may not stand directly inside another.
void check_place(const directive& what, const directive& around) {
  const bool is_in_compute = is_compute(around.kind) || around.kind == d::loop;
  if (what.kind == d::cache && !is_loop(around.kind))
    throw wrong_place(what, around, "a cache belongs to the iterations of a loop", "move it into the body of a loop");
  if (!is_in_compute) return;
  if (what.kind == d::loop || what.kind == d::cache || what.kind == d::atomic || what.kind == d::routine) return;
  if (is_compute(what.kind))
    throw wrong_place(what, around, "a region that runs on a device starts none",
                      fmt::format("use \"loop\" in place of \"{}\"", name_of(what.kind)));
  throw wrong_place(what, around, "it is performed by the host, and the region around it runs on a device",
                    "move it out of the region");
}

/// Puts directives into the tree, in the order of the source.
class tree_builder {
 public:
  explicit tree_builder(const preprocessed_text& source) : source_(source) {}

  directive_tree build() {
    for (std::size_t i = 0; i < source_.pragmas().size(); ++i) {
      try {
        add(i);
      } catch (const error& e) {
        tree_.refused.push_back(e);
      }
    }
    return std::move(tree_);
  }

 private:
  void add(std::size_t pragma) {
    const pragma_line& line = source_.pragmas()[pragma];
    directive what = parse_directive(line.text, source_.line_at(line.first));
    const tokens& program = source_.program();
    const auto first = source_.token_behind(line.last);
    const auto last = governs_statement(what.kind) ? end_of_statement(program, first) : first;
    check_statement(what, program, first, last);
    std::vector<placed_directive>* into = &tree_.outermost;
    for (;;) {
      if (into->empty() || first >= into->back().last) break;
      placed_directive& around = into->back();
      into = &around.inside;
      if (into->empty() || first >= into->back().last) check_place(what, around.what);
    }
    into->push_back({std::move(what), pragma, first, last});
  }

  const preprocessed_text& source_;
  directive_tree tree_;
};

}  // namespace

bool governs_statement(directive_kind kind) noexcept {
  return is_compute(kind) || is_loop(kind) || kind == d::data || kind == d::host_data || kind == d::atomic ||
         kind == d::mpi;
}

bool is_compute(directive_kind kind) noexcept {
  switch (kind) {
    case d::parallel:
    case d::kernels:
    case d::serial:
    case d::parallel_loop:
    case d::kernels_loop:
    case d::serial_loop: return true;
    default: return false;
  }
}

bool is_loop(directive_kind kind) noexcept {
  return kind == d::loop || kind == d::parallel_loop || kind == d::kernels_loop || kind == d::serial_loop;
}

directive_tree read_directives(const preprocessed_text& source) { return tree_builder(source).build(); }

}  // namespace stretto::cc::acc
