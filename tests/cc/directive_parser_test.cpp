#include "cc/acc/directive_parser.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "cc/acc/directive_rules.hpp"
#include "cc/acc/directive_text.hpp"
#include "refused_code.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

directive parsed(std::string_view text) { return parse_directive(text, {"x.c", 7}); }

/// The clauses as text, one after another.
std::string clauses_of(std::string_view text) {
  std::string all;
  for (const clause& one : parsed(text).clauses) all += (all.empty() ? "" : " ") + text_of(one);
  return all;
}

std::string refused(std::string_view text) {
  return test::code_of([&] { parsed(text); });
}

/// Whether a text is a directive, or is refused with its line, a cause and a remedy.
bool is_directive_or_error(const std::string& text) {
  try {
    const directive read = parsed(text);
    return !name_of(read.kind).empty();
  } catch (const error& e) {
    const bool has_line = !e.facts().empty() && e.facts()[0].second == "x.c:7";
    return e.code().starts_with("O0") && has_line && !e.why().empty() && !e.what_to_try().empty();
  }
}

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> all;
  for (const token& one : device::tokens_of(text)) all.push_back(one.spelling);
  return all;
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& one : tokens) text += one + " ";
  return text;
}

}  // namespace

TEST_CASE("every directive of OpenACC 3.3 for C is recognised by its name") {
  CHECK(parsed("parallel").kind == directive_kind::parallel);
  CHECK(parsed(" kernels").kind == directive_kind::kernels);
  CHECK(parsed("serial").kind == directive_kind::serial);
  CHECK(parsed("loop").kind == directive_kind::loop);
  CHECK(parsed("parallel loop").kind == directive_kind::parallel_loop);
  CHECK(parsed("kernels loop").kind == directive_kind::kernels_loop);
  CHECK(parsed("serial   loop").kind == directive_kind::serial_loop);
  CHECK(parsed("data copy(a)").kind == directive_kind::data);
  CHECK(parsed("enter data create(a)").kind == directive_kind::enter_data);
  CHECK(parsed("exit data delete(a)").kind == directive_kind::exit_data);
  CHECK(parsed("host_data use_device(a)").kind == directive_kind::host_data);
  CHECK(parsed("declare create(a)").kind == directive_kind::declare);
  CHECK(parsed("update self(a)").kind == directive_kind::update);
  CHECK(parsed("cache(a[0:4])").kind == directive_kind::cache);
  CHECK(parsed("atomic").kind == directive_kind::atomic);
  CHECK(parsed("routine seq").kind == directive_kind::routine);
  CHECK(parsed("wait").kind == directive_kind::wait);
  CHECK(parsed("init").kind == directive_kind::init);
  CHECK(parsed("shutdown").kind == directive_kind::shutdown);
  CHECK(parsed("set device_num(1)").kind == directive_kind::set);
  CHECK(parsed("mpi sendbuf(device)").kind == directive_kind::mpi);
  CHECK(parsed("loop").where == source_line{"x.c", 7});
}

TEST_CASE("a clause keeps what it names: variables, members, sections and elements") {
  const directive d = parsed("data copy(a, b[0:n], c[:], s.x, p->m[i].v[2:k+1][0:4])");
  const auto& all = d.clauses.at(0).variables;
  REQUIRE(all.size() == 5);
  CHECK(all[0].name() == "a");
  CHECK(all[0].sections.empty());
  CHECK(all[1].sections.size() == 1);
  CHECK(all[1].sections[0].length.at(0) == "n");
  CHECK(all[2].sections[0].lower.empty());
  CHECK(all[2].sections[0].length.empty());
  CHECK_FALSE(all[2].sections[0].is_element);
  CHECK(all[3].path.size() == 3);
  CHECK(all[4].name() == "p");
  CHECK(all[4].path.size() == 8);
  CHECK(all[4].sections.size() == 2);
  CHECK(clauses_of("data copy(a,b[0:n],c[:],s.x,p->m[i].v[2:k+1][0:4])") ==
        "copy(a, b[0:n], c[:], s.x, p->m[i].v[2:k+1][0:4])");
  CHECK(parsed("update host(a[3])").clauses[0].variables[0].sections[0].is_element);
}

TEST_CASE("clauses follow one another with commas or without, and older names mean the same") {
  CHECK(clauses_of("parallel, copy(a), async wait(1),if(n>1)") == "copy(a) async wait(1) if(n>1)");
  for (const char* name : {"copyin", "pcopyin", "present_or_copyin"})
    CHECK(parsed(std::string("data ") + name + "(a)").clauses[0].kind == clause_kind::copyin);
  CHECK(parsed("loop dtype(nvidia) gang").clauses[0].kind == clause_kind::device_type);
  CHECK(parsed("update self(a)").clauses[0].kind == clause_kind::update_host);
  CHECK(parsed("update host(a)").clauses[0].kind == clause_kind::update_host);
  CHECK(parsed("serial self(n < 5)").clauses[0].kind == clause_kind::self);
}

TEST_CASE("expressions keep commas and colons that stand in brackets, and those of a choice") {
  CHECK(clauses_of("parallel if(f(a, b) ? c : d[e ? 1 : 2])") == "if(f(a,b)?c:d[e?1:2])");
  CHECK(parsed("parallel copy(a[b ? 1 : 0 : n])").clauses[0].variables[0].sections[0].length.at(0) == "n");
  CHECK(parsed("parallel num_gangs(f(1, 2), 3)").clauses[0].arguments.size() == 2);
}

TEST_CASE("modifiers stand ahead of a colon, and else are names of variables") {
  CHECK(parsed("data copyin(readonly: a, b)").clauses[0].is_readonly);
  CHECK(parsed("data create(zero: a)").clauses[0].is_zeroed);
  CHECK(parsed("data copyin(readonly)").clauses[0].variables[0].name() == "readonly");
  CHECK(parsed("data copyout(zero, a)").clauses[0].variables.size() == 2);
  CHECK(parsed("cache(readonly: a[0:4])").clauses[0].is_readonly);
  CHECK(parsed("loop collapse(force: 2)").clauses[0].is_forced);
  CHECK(refused("data copyin(zero: a)") == "O03");
  CHECK(refused("data copyout(readonly: a)") == "O03");
}

TEST_CASE("reductions have all operators, on variables, members and sections") {
  for (const char* sign : {"+", "*", "max", "min", "&", "|", "^", "&&", "||"})
    CHECK(clauses_of(std::string("loop reduction(") + sign + ":x, s.y, a[0:4])") ==
          std::string("reduction(") + sign + ": x, s.y, a[0:4])");
  CHECK(clauses_of("loop reduction(-:x)") == "reduction(+: x)");
  CHECK(refused("loop reduction(/:x)") == "O03");
  CHECK(refused("loop reduction(x)") == "O03");
  CHECK(refused("kernels reduction(+:x)") == "O02");
}

TEST_CASE("levels of parallelism have numbers, lengths and sizes of chunks") {
  CHECK(clauses_of("loop gang(static: 4) worker(num: 2) vector(length: 128)") ==
        "gang(static: 4) worker(2) vector(128)");
  CHECK(clauses_of("loop gang(num: 8, static: *)") == "gang(static: *, 8)");
  CHECK(clauses_of("routine(f) gang(dim: 2) bind(\"g\") nohost") == "routine(f) gang(dim: 2) bind(g) nohost");
  CHECK(clauses_of("loop gang worker vector") == "gang worker vector");
  CHECK(clauses_of("loop tile(16, *)") == "tile(16, *)");
}

TEST_CASE("waits name queues, also those of another device") {
  CHECK(clauses_of("wait(1, n + 2) async(3)") == "wait(1, n+2) async(3)");
  CHECK(clauses_of("wait(devnum: 1 : queues: 2, 3)") == "wait(devnum: 1: queues: 2, 3)");
  CHECK(clauses_of("wait(queues: 2)") == "wait(2)");
  CHECK(clauses_of("wait") == "");
  CHECK(clauses_of("parallel wait async") == "wait async");
  CHECK(refused("wait(devnum: 1)") == "O03");
}

TEST_CASE("the directive of IMPACC says which buffers lie on a device and which are only read") {
  const directive d = parsed("mpi sendbuf(device, readonly) recvbuf(device) async(1)");
  CHECK(d.find(clause_kind::sendbuf)->names == std::vector<std::string>{"device", "readonly"});
  CHECK(d.find(clause_kind::recvbuf)->names == std::vector<std::string>{"device"});
  CHECK(d.find(clause_kind::async)->arguments.size() == 1);
  CHECK(parsed("mpi sendbuf async").find(clause_kind::sendbuf)->names.empty());
  CHECK(refused("mpi sendbuf(host)") == "O03");
}

TEST_CASE("an unknown directive is refused with the nearest one") {
  CHECK(test::message_of([] { parsed("paralel loop"); }) ==
        "error O01: OpenACC has no directive \"paralel\"\n"
        "  at          x.c:7\n"
        "  because     it is the name of no directive in OpenACC 3.3\n"
        "  try         did you mean \"parallel\"?");
  CHECK(refused("") == "O01");
  CHECK(refused("enter") == "O01");
}

TEST_CASE("a clause that the directive cannot have is refused, with the directives that can") {
  CHECK(test::message_of([] { parsed("kernels firstprivate(x)"); }) ==
        "error O02: the directive \"kernels\" cannot have the clause \"firstprivate\"\n"
        "  at          x.c:7\n"
        "  because     it is a clause of parallel loop, serial loop, parallel, serial\n"
        "  try         leave it out, or move it to one of these");
  CHECK(test::message_of([] { parsed("loop colapse(2)"); }) ==
        "error O02: the directive \"loop\" cannot have the clause \"colapse\"\n"
        "  at          x.c:7\n"
        "  because     OpenACC 3.3 has no clause of that name\n"
        "  try         did you mean \"collapse\"?");
  CHECK(refused("parallel copy(a))") == "O02");
}

TEST_CASE("an argument of another form is refused with an example") {
  CHECK(test::message_of([] { parsed("data copy(a[0:n)"); }) ==
        "error O03: the clause \"copy\" cannot be read\n"
        "  at          x.c:7\n"
        "  because     \")\" stands behind a section, where \"]\" is needed\n"
        "  try         write it as copy(x, a[0:n])");
  for (const char* text :
       {"data copy", "data copy()", "data copy(1)", "data copy(a b)", "data copy(a[])", "data copy(a.)", "data copy(a",
        "parallel if", "parallel if()", "parallel default(all)", "loop collapse", "loop tile()", "loop gang(",
        "routine bind(3) seq", "loop device_type(1)", "cache", "data copy(a[0:1].b)"})
    CHECK_MESSAGE(refused(text) == "O03", text);
}

TEST_CASE("clauses that exclude each other or come twice are refused, for each type of device apart") {
  for (const char* text :
       {"loop seq gang", "loop vector seq", "loop auto independent", "loop seq auto", "parallel async(1) async(2)",
        "loop collapse(2) collapse(2)", "loop gang gang", "parallel device_type(host) copy(a)",
        "loop device_type(nvidia) private(x)", "data if(1)", "enter data async", "exit data finalize", "update async",
        "host_data if_present", "routine nohost", "declare", "set", "loop dtype(host) seq gang"})
    CHECK_MESSAGE(refused(text) == "O04", text);
  CHECK(refused("loop gang device_type(host) seq device_type(nvidia) vector") == "");
  CHECK(refused("parallel num_gangs(4) device_type(host) num_gangs(1)") == "");
  CHECK(refused("init device_type(nvidia) device_num(1)") == "");
  CHECK(refused("data default(present)") == "");
  CHECK(refused("data copy(a) copy(b) wait(1) wait(2)") == "");
}

TEST_CASE("every clause of every directive that may have it is read, and no other") {
  for (const directive_rule& on : directive_rules())
    for (const clause_rule& rule : clause_rules()) {
      const std::string name(rule.name);
      const std::string code =
          refused(std::string(on.name) + (on.kind == directive_kind::cache ? "(a[0:1]) " : " ") + name);
      CAPTURE(name);
      CAPTURE(std::string(on.name));
      CHECK((code != "O02") == (find_rule(name, on.kind) != nullptr));
    }
}

TEST_CASE("any text gives a directive or an error") {
  const std::vector<std::string> pieces{"parallel",  "loop",  "data", "wait", "copy",   "gang",     "(",      ")",
                                        "[",         "]",     ":",    ",",    "a",      "0",        "async",  "+",
                                        "?",         ".",     "->",   "*",    "static", "readonly", "devnum", "queues",
                                        "reduction", "\"x\"", "tile", "{",    "}"};
  std::mt19937 random(3);
  for (int i = 0; i < test::scaled(20'000, 2'000'000); ++i) {
    std::string text = random() % 2 ? "parallel " : "";
    for (auto n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()] + " ";
    CHECK_MESSAGE(is_directive_or_error(text), text);
  }
}

TEST_CASE("right directives of which some tokens are changed give a directive or an error") {
  const std::vector<std::string> right{
      "parallel loop gang(static: *) collapse(force: 2) reduction(max: s, a[2:n]) private(t) device_type(host, *) "
      "vector",
      "data copyin(readonly: a[0:n], s.b[i].c[1:]) copyout(zero: d) if(n > 3 ? f(n, 1) : 0) async wait(1)",
      "kernels loop tile(16, *) worker(num: 4) wait(devnum: 1 : queues: 2, 3) default(none) independent",
      "routine(f) bind(\"g\") seq device_type(nvidia) gang(dim: 2)",
      "exit data delete(a) detach(p->q) finalize",
      "mpi sendbuf(device, readonly) recvbuf(device) async(n)",
      "update self(a[0:n][i]) device(b) if_present",
      "cache(readonly: a[i:4])"};
  std::vector<std::string> pieces;
  for (const std::string& one : right)
    for (std::string& token : tokens_of(one)) pieces.push_back(std::move(token));
  std::mt19937 random(5);
  for (int i = 0; i < test::scaled(20'000, 2'000'000); ++i) {
    std::vector<std::string> tokens = tokens_of(right[random() % right.size()]);
    for (auto changes = 1 + random() % 3; changes > 0 && !tokens.empty(); --changes) {
      const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(random() % tokens.size());
      switch (random() % 4) {
        case 0: tokens.erase(at); break;
        case 1: tokens.insert(at, pieces[random() % pieces.size()]); break;
        case 2: *at = pieces[random() % pieces.size()]; break;
        default: tokens.erase(at, tokens.end()); break;
      }
    }
    CHECK_MESSAGE(is_directive_or_error(joined(tokens)), joined(tokens));
  }
}

TEST_CASE("brackets in great number are read") {
  const std::string many(200'000, '(');
  CHECK(is_directive_or_error("parallel if" + many));
  CHECK(is_directive_or_error("parallel if" + many + "1" + std::string(200'000, ')')));
  CHECK(is_directive_or_error("data copy(a" + std::string(200'000, '[')));
}
