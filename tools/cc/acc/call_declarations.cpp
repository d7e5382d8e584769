#include "cc/acc/call_declarations.hpp"

namespace stretto::cc::acc {

std::string_view call_declarations() noexcept {
  return "struct stretto_acc_extent { unsigned long first, count, bytes; };\n"
         "struct stretto_acc_data { int action, extent_count, pointer_level; void *base;"
         " const struct stretto_acc_extent *extents; void **pointer; const char *name; };\n"
         "struct stretto_acc_argument { int way; void *host; unsigned long bytes; const struct stretto_acc_data *part;"
         " const char *name; };\n"
         "struct stretto_acc_launch { void (*kernel)(void **, long, long); const char *where;"
         " const struct stretto_acc_data *data; long data_count; const struct stretto_acc_argument *arguments;"
         " long argument_count, gangs; int queue, is_on_host; };\n"
         "struct stretto_acc_scope { const struct stretto_acc_data *data; long count; int queue; const char *where; "
         "};\n"
         "extern void stretto_acc_run(const struct stretto_acc_launch *);\n"
         "extern void stretto_acc_enter(const struct stretto_acc_data *, long, int, const char *);\n"
         "extern void stretto_acc_exit(const struct stretto_acc_data *, long, int, const char *);\n"
         "extern void stretto_acc_update(const struct stretto_acc_data *, long, int, const char *);\n"
         "extern struct stretto_acc_scope stretto_acc_open(const struct stretto_acc_data *, long, int, int,"
         " const char *);\n"
         "extern void stretto_acc_close(struct stretto_acc_scope *);\n"
         "extern void *stretto_acc_use_device(void *, int, const char *, const char *);\n"
         "extern void stretto_acc_wait(const int *, long, int);\n"
         "extern void stretto_acc_init(int, int);\n"
         "extern void stretto_acc_shutdown(int, int);\n"
         "extern void stretto_acc_set(int, int, int, int);\n"
         "extern void stretto_acc_lock(void);\n"
         "extern void stretto_acc_unlock(void);\n"
         "extern void stretto_acc_end(void);\n"
         "static __attribute__((destructor)) void stretto_acc_end_of_program(void) { stretto_acc_end(); }\n"
         "static inline long stretto_acc_trips(long distance, long step) {\n"
         "  return distance <= 0 ? 0 : (distance - 1) / step + 1;\n"
         "}\n"
         "static inline long stretto_acc_part(long count, long gang, long gangs) {\n"
         "  return count / gangs * gang + (gang < count % gangs ? gang : count % gangs);\n"
         "}\n";
}

}  // namespace stretto::cc::acc
