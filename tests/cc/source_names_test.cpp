#include "cc/acc/clang_names.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

const std::string program = R"(# 1 "x.c"
typedef unsigned long size;
typedef struct point { double x; float y[3]; struct point* next; } point;
enum color { red, blue = 7 };
static point origin;
extern int shared[];
double weight(const point* of, size n);
int unseen;
void move(point* all, int n, double (*grid)[4]) {
  static short moves;
  _Bool done = 0;
  double local[2][8];
  double varying[n];
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    const point* p = &all[i];
    local[0][blue] += weight(p, n) + origin.x + shared[i] + grid[i][2] + varying[i];
    moves++;
    done = 1;
  }
}
)";

/// The names in the region of `program`.
struct region_names {
  preprocessed_text source{program};
  std::size_t first = program.find("for (int i"), last = program.find("  }\n}");
  source_names names = read_names(source, std::array{text_range{first, last}}, cc::language::c);

  /// The declaration of the first token with that name in the region; null if it is none of a declaration.
  const declaration* find(const std::string& name) const {
    for (const token& t : source.program())
      if (t.offset >= first && t.offset < last && t == name) return names.at(t.offset);
    return nullptr;
  }
};

}  // namespace

TEST_CASE("names in a region have the types and places of their declarations") {
  const region_names r;
  using p = declaration::place;
  REQUIRE(r.find("i"));
  CHECK(r.find("i")->type.is == type_form::integer);
  CHECK(r.find("i")->type.is_signed);
  CHECK(r.find("i")->type.bytes == 4);
  CHECK(r.find("i")->is == p::local);
  REQUIRE(r.find("n"));
  CHECK(r.find("n")->is == p::parameter);
  REQUIRE(r.find("all"));
  CHECK(r.find("all")->type.is == type_form::pointer);
  CHECK(r.find("all")->type.element->is == type_form::record);
  REQUIRE(r.find("moves"));
  CHECK(r.find("moves")->is == p::static_);
  CHECK(r.find("moves")->type.spelling == "short");
  REQUIRE(r.find("done"));
  CHECK(r.find("done")->type.is == type_form::boolean);
  REQUIRE(r.find("origin"));
  CHECK(r.find("origin")->is == p::global);
  REQUIRE(r.find("shared"));
  CHECK(r.find("shared")->is == p::global);
  CHECK(r.find("shared")->type.is == type_form::array);
  CHECK_FALSE(r.find("shared")->type.count);
  REQUIRE(r.find("weight"));
  CHECK(r.find("weight")->is == p::function);
  CHECK(r.find("weight")->type.element->is == type_form::floating);
  REQUIRE(r.find("blue"));
  CHECK(r.find("blue")->is == p::constant);
  CHECK(r.find("blue")->value == 7);
}

TEST_CASE("arrays have the sizes that are constant, and pointers what they point to") {
  const region_names r;
  const declaration& local = *r.find("local");
  CHECK(local.type.count == 2);
  CHECK(local.type.bytes == 128);
  CHECK(local.type.element->count == 8);
  CHECK(local.type.element->element->spelling == "double");
  CHECK_FALSE(r.find("varying")->type.count);
  CHECK(r.find("varying")->type.bytes == 0);
  CHECK(r.find("grid")->type.element->count == 4);
  CHECK(r.find("p")->type.element->is_const);
}

TEST_CASE("records have their fields, and those that point to their own type end") {
  const region_names r;
  const c_type& type = r.find("origin")->type;
  REQUIRE(type.record);
  CHECK(type.spelling == "struct point");
  REQUIRE(type.record->fields.size() == 3);
  CHECK(type.record->fields[0].name == "x");
  CHECK(type.record->fields[1].offset == 8);
  CHECK(type.record->fields[1].type.count == 3);
  CHECK(type.record->fields[2].type.element->spelling == "struct point");
  CHECK_FALSE(type.record->is_union);
  CHECK(r.find("p")->type.element->spelling == "const struct point");
  CHECK(r.find("p")->type.element->record == type.record);
}

TEST_CASE("names of members mean nothing; of what is outside of the region, variables at file scope are known") {
  const region_names r;
  CHECK(r.find("x") == nullptr);
  REQUIRE(r.names.at(program.find("unseen")));
  CHECK(r.names.at(program.find("unseen"))->name == "unseen");
}

TEST_CASE("a name means the variable whose scope a place is in") {
  const std::string text = R"(# 1 "x.c"
int n;
static double late;
void f(float n) {
  { char n; { long n; } (void)n; }
}
void g(int a[3]) { (void)n; }
short later;
)";
  const preprocessed_text source(text);
  const source_names names = read_names(source, std::vector<text_range>{{0, text.size()}}, cc::language::c);
  const auto type_at = [&](const char* name, const char* place) {
    const declaration* const found = names.visible(name, text.find(place), source);
    return found ? found->type.spelling : "";
  };
  CHECK(type_at("n", "{ char") == "float");
  CHECK(type_at("n", "{ long") == "char");
  CHECK(type_at("n", "; } (void)n") == "long");
  CHECK(type_at("n", "(void)n; }") == "char");
  CHECK(type_at("n", "void g") == "int");
  CHECK(type_at("late", "(void)n; }\nshort") == "double");
  CHECK(type_at("later", "(void)n; }\nshort") == "");
  CHECK(type_at("a", "(void)n; }\nshort") != "");
  CHECK(type_at("a", "short later") == "");
}

TEST_CASE("a constant is visible in the block around its enumeration") {
  const std::string text = R"(# 1 "x.c"
enum { size = 4 };
void f(void) {
  { enum { inner = 7 }; (void)inner; ; }
  ;
}
)";
  const preprocessed_text source(text);
  const source_names names = read_names(source, std::vector<text_range>{{0, 0}}, cc::language::c);
  const declaration* const size = names.visible("size", text.find("void f"), source);
  REQUIRE(size);
  CHECK(size->value == 4);
  const source_names all = read_names(source, std::vector<text_range>{{0, text.size()}}, cc::language::c);
  REQUIRE(all.visible("inner", text.find("; }\n"), source));
  CHECK(all.visible("inner", text.find("; }\n"), source)->value == 7);
  CHECK_FALSE(all.visible("inner", text.find(";\n}"), source));
}

TEST_CASE("a name that is declared in the region means the same where it is used") {
  const region_names r;
  CHECK(r.names.at(program.find("p = &all")) == r.names.at(program.find("p, n)")));
  CHECK(r.names.at(program.find("i = 0")) == r.names.at(program.find("i]")));
}
