// separate_memory.hpp - a runtime in C, for translated programs in tests, whose device has memory of its own.
#pragma once

#include <string_view>

namespace stretto::test {

/// Goes behind call_declarations(). Kernels run 3 gangs, the last one first. With `shown` each call is printed:
/// "+a" where data enters, ">a" and "<a" for copies to the device and back, "-a" where it leaves, "run@QUEUE".
inline constexpr std::string_view separate_memory = R"(
int printf(const char *, ...);
void *malloc(unsigned long), *memcpy(void *, const void *, unsigned long), *memset(void *, int, unsigned long);
int shown;
#define SHOW(...) (shown ? printf(__VA_ARGS__) : 0)
typedef const struct stretto_acc_data *data;
static struct variable { char *host, *device; unsigned long bytes; int count; } all[99];
static struct variable *find(const void *at) {
  for (struct variable *one = all; one < all + 99; ++one)
    if (one->count && (char *)at >= one->host && (char *)at < one->host + one->bytes) return one;
  return 0;
}
static char *there(void *host) { struct variable *of = find(host); return of ? of->device + ((char *)host - of->host) : 0; }
static int own_extents(data d) { return d->pointer_level ? d->pointer_level : d->extent_count; }
static struct variable range_of(data d) {
  struct variable r = {d->base, 0, d->extent_count ? 1 : 0, 0};
  for (int i = 0; i < own_extents(d); ++i) {
    const struct stretto_acc_extent *e = &d->extents[i];
    r.host += e->first * e->bytes;
    r.bytes = i ? r.bytes + (e->count - 1) * e->bytes - d->extents[i - 1].bytes + e->bytes : e->count * e->bytes;
  }
  return r;
}
static void copy(const char *name, char *host, unsigned long bytes, int to_device) {
  SHOW(to_device ? ">%s " : "<%s ", name);
  to_device ? memcpy(there(host), host, bytes) : memcpy(host, there(host), bytes);
}
/// at: in the part of the array to which the pointer points
static void attach(void **pointer, char *at, int is_attached) {
  if (there(pointer) && there(at)) *(void **)there(pointer) = is_attached ? there(at) + ((char *)*pointer - at) : *pointer;
}
static void each_row(data d, void (*visit)(data)) {
  struct variable r = range_of(d);
  for (void **at = (void **)r.host; d->pointer_level && at < (void **)(r.host + r.bytes); ++at) {
    struct stretto_acc_data row = *d;
    row.base = *at, row.pointer = at, row.pointer_level = 0;
    row.extents += d->pointer_level, row.extent_count -= d->pointer_level;
    if (row.base) visit(&row);
  }
}
static void enter(data d) {
  const int action = d->action & 15;
  struct variable r = range_of(d), *one = all;
  if (action == 6) { attach(d->pointer, *d->pointer, 1); return; }
  if (find(r.host)) ++find(r.host)->count;
  else if (action == 5) printf("%s is absent ", d->name);
  else if (action != 4 && r.bytes) {
    while (one->count) ++one;
    *one = (struct variable){r.host, memset(malloc(r.bytes), d->action & 16 ? 0 : 0x45, r.bytes), r.bytes, 1};
    SHOW("+%s ", d->name);
    if (action <= 1) copy(d->name, r.host, r.bytes, 1);
  }
  each_row(d, enter);
  if (d->pointer) attach(d->pointer, r.host, 1);
}
static void leave(data d) {
  struct variable r = range_of(d), *one = find(r.host);
  if (d->pointer) attach(d->pointer, r.host, 0);
  each_row(d, leave);
  const int action = d->action & 15;
  if (!one || action == 6 || action == 7) return;
  if (d->action & 32) one->count = 1;
  if (one->count == 1 && (action == 0 || action == 2) && !d->pointer_level) copy(d->name, r.host, r.bytes, 0);
  if (--one->count == 0) SHOW("-%s ", d->name);
}
static void update_part(data d, char *at, int dimension) {
  const struct stretto_acc_extent *e = &d->extents[dimension];
  at += e->first * e->bytes;
  if (dimension + 1 == d->extent_count) copy(d->name, at, e->count * e->bytes, (d->action & 15) == 10);
  else for (unsigned long i = 0; i < e->count; ++i) update_part(d, at + i * e->bytes, dimension + 1);
}
static void update(data d) {
  if (d->pointer_level) each_row(d, update);
  else if (there(range_of(d).host)) update_part(d, d->base, 0);
  else if (!(d->action & 64)) printf("%s is absent ", d->name);
}
void stretto_acc_enter(data d, long n, int queue, const char *where) { while (n--) enter(d++); SHOW("@%d ", queue); }
void stretto_acc_exit(data d, long n, int queue, const char *where) { while (n--) leave(&d[n]); SHOW("@%d ", queue); }
void stretto_acc_update(data d, long n, int queue, const char *where) { while (n--) update(d++); SHOW("@%d ", queue); }
struct stretto_acc_scope stretto_acc_open(data d, long n, int queue, int condition, const char *where) {
  const struct stretto_acc_scope opened = {condition ? d : 0, n, queue, where};
  if (condition) stretto_acc_enter(d, n, queue, where);
  return opened;
}
void stretto_acc_close(struct stretto_acc_scope *s) { if (s->data) stretto_acc_exit(s->data, s->count, s->queue, ""); }
void *stretto_acc_use_device(void *host, int if_present, const char *name, const char *where) {
  return !there(host) && if_present ? host : there(host);
}
static char *led(char *pointer, data part) {
  char *const first = part ? range_of(part).host : pointer;
  return there(pointer) ? there(pointer) : there(first) ? there(first) + (pointer - first) : pointer;
}
void stretto_acc_run(const struct stretto_acc_launch *l) {
  char values[16][256] __attribute__((aligned(16)));
  void *arguments[16];
  const int moves = !l->is_on_host;
  if (moves) for (long i = 0; i < l->data_count; ++i) enter(&l->data[i]);
  for (long i = 0; i < l->argument_count; ++i) {
    const struct stretto_acc_argument *one = &l->arguments[i];
    arguments[i] = one->way == 1 ? (moves ? led(one->host, one->part) : one->host) : memcpy(values[i], one->host, one->bytes);
    if (moves && one->way == 2) *(char **)values[i] = led(*(char **)one->host, one->part);
  }
  SHOW(moves ? "run@%d " : "run on host@%d ", l->queue);
  const long gangs = l->gangs > 0 ? l->gangs : 3;
  for (long gang = gangs; gang-- > 0;) l->kernel(arguments, gang, gangs);
  if (moves) for (long i = l->data_count; i-- > 0;) leave(&l->data[i]);
}
void stretto_acc_wait(const int *queues, long n, int queue) {
  SHOW("wait(");
  if (n < 0) SHOW("all");
  for (long i = 0; i < n; ++i) SHOW(i ? ",%d" : "%d", queues[i]);
  SHOW(")@%d ", queue);
}
void stretto_acc_init(int type, int number) { SHOW("init %d %d ", type, number); }
void stretto_acc_shutdown(int type, int number) { SHOW("shutdown %d %d ", type, number); }
void stretto_acc_set(int type, int number, int has_queue, int queue) { SHOW("set %d %d %d %d ", type, number, has_queue, queue); }
int device_type = 2;
int stretto_acc_device_type(void) { return device_type; }
void stretto_acc_lock(void) {}
void stretto_acc_unlock(void) {}
void stretto_acc_end(void) {}
)";

}  // namespace stretto::test
