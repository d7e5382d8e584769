// options.c - getopt, getopt_long and getopt_long_only with variables per rank, as the GNU C library describes them.
//
// Arguments that are no options are moved behind the options (first_other .. last_other), unless the option string
// begins with + or POSIXLY_CORRECT is set; with - they are options of the code 1.
// Threads     one at a time.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replacement.h"

REPLACED_VARIABLE char* optarg = NULL;
REPLACED_VARIABLE int optind = 1, opterr = 1, optopt = '?';

enum order { is_permuted, is_required, is_returned };
enum long_kind { no_long, long_with_two, long_with_one };

static int is_prepared, first_other, last_other;
static enum order order;
static const char* next;  // the rest of an argument with several short options

static void reverse(char** from, char** to) {
  for (; from < --to; ++from) {
    char* const first = *from;
    *from = *to;
    *to = first;
  }
}

// Exchanges the arguments [first_other, last_other) and [last_other, optind), each in its order.
static void exchange(char** argv) {
  reverse(argv + first_other, argv + last_other);
  reverse(argv + last_other, argv + optind);
  reverse(argv + first_other, argv + optind);
  first_other += optind - last_other;
  last_other = optind;
}

static const char* prepare(const char* options, enum order fixed) {
  if (optind == 0 || !is_prepared) {
    if (optind == 0) optind = 1;
    first_other = last_other = optind;
    next = NULL;
    is_prepared = 1;
    order = *options == '-'                                                        ? is_returned
            : *options == '+' || fixed == is_required || getenv("POSIXLY_CORRECT") ? is_required
                                                                                   : is_permuted;
  }
  return *options == '-' || *options == '+' ? options + 1 : options;
}

static int is_option(const char* argument) { return argument[0] == '-' && argument[1]; }

// Finds the next argument with options. Returns 0, or the result of getopt.
static int find_argument(int argc, char** argv) {
  if (last_other > optind) last_other = optind;
  if (first_other > optind) first_other = optind;
  if (order == is_permuted) {
    if (first_other != last_other && last_other != optind) exchange(argv);
    else if (last_other != optind) first_other = optind;
    while (optind < argc && !is_option(argv[optind])) ++optind;
    last_other = optind;
  }
  if (optind != argc && strcmp(argv[optind], "--") == 0) {
    ++optind;
    if (first_other != last_other && last_other != optind) exchange(argv);
    else if (first_other == last_other) first_other = optind;
    last_other = optind = argc;
  }
  if (optind == argc) {
    if (first_other != last_other) optind = first_other;
    return -1;
  }
  if (is_option(argv[optind])) return 0;
  if (order == is_required) return -1;
  optarg = argv[optind++];
  return 1;
}

static int missing(const char* options) { return *options == ':' ? ':' : '?'; }

static int reports(const char* options) { return opterr && *options != ':'; }

// The long option whose name begins with the `size` characters of `name`: exactly, or the only one; else -1.
static int find_long(const char* name, size_t size, const struct option* all, int* is_ambiguous) {
  int found = -1;
  *is_ambiguous = 0;
  for (int i = 0; all[i].name; ++i) {
    if (strncmp(all[i].name, name, size) != 0) continue;
    if (strlen(all[i].name) == size) {
      *is_ambiguous = 0;
      return i;
    }
    if (found >= 0 &&
        (all[i].has_arg != all[found].has_arg || all[i].flag != all[found].flag || all[i].val != all[found].val))
      *is_ambiguous = 1;
    if (found < 0) found = i;
  }
  return *is_ambiguous ? -1 : found;
}

static int take_long(int argc, char** argv, const char* options, const struct option* option, const char* value,
                     const char* dashes) {
  if (value && option->has_arg == no_argument) {
    if (reports(options))
      fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", argv[0], dashes, option->name);
    optopt = option->val;
    return '?';
  }
  if (!value && option->has_arg == required_argument) {
    if (optind >= argc) {
      if (reports(options)) fprintf(stderr, "%s: option '%s%s' requires an argument\n", argv[0], dashes, option->name);
      optopt = option->val;
      return missing(options);
    }
    value = argv[optind++];
  }
  optarg = (char*)value;
  if (!option->flag) return option->val;
  *option->flag = option->val;
  return 0;
}

// Tries argv[optind] as a long option. Returns -2 where it is none.
static int long_option(int argc, char** argv, const char* options, const struct option* all, int* index,
                       enum long_kind kind) {
  const int has_two = argv[optind][1] == '-';
  if (!has_two && (kind != long_with_one || (!argv[optind][2] && strchr(options, argv[optind][1])))) return -2;
  const char *const dashes = has_two ? "--" : "-", *const name = argv[optind] + strlen(dashes);
  const size_t size = strcspn(name, "=");
  int is_ambiguous;
  const int found = find_long(name, size, all, &is_ambiguous);
  if (found < 0 && !is_ambiguous && !has_two && strchr(options, *name)) return -2;
  ++optind;
  if (found < 0) {
    if (reports(options))
      fprintf(stderr, is_ambiguous ? "%s: option '%s%s' is ambiguous\n" : "%s: unrecognized option '%s%s'\n", argv[0],
              dashes, name);
    optopt = 0;
    return '?';
  }
  if (index) *index = found;
  return take_long(argc, argv, options, &all[found], name[size] ? name + size + 1 : NULL, dashes);
}

static int short_option(int argc, char** argv, const char* options) {
  const char code = *next++;
  const char* const known = code == ':' || code == ';' ? NULL : strchr(options, code);
  const int is_last = !*next;
  if (is_last) ++optind;
  if (!known) {
    if (reports(options)) fprintf(stderr, "%s: invalid option -- '%c'\n", argv[0], code);
    optopt = code;
    return '?';
  }
  if (known[1] != ':') return code;
  if (!is_last) optarg = (char*)next, ++optind;
  else if (known[2] == ':') optarg = NULL;
  else if (optind < argc) optarg = argv[optind++];
  else {
    if (reports(options)) fprintf(stderr, "%s: option requires an argument -- '%c'\n", argv[0], code);
    optopt = code;
    next = NULL;
    return missing(options);
  }
  next = NULL;
  return code;
}

static int next_option(int argc, char** argv, const char* options, const struct option* all, int* index,
                       enum long_kind kind, enum order fixed) {
  if (argc < 1) return -1;
  optarg = NULL;
  options = prepare(options, fixed);
  if (!next || !*next) {
    const int end = find_argument(argc, argv);
    if (end) return end;
    if (kind != no_long && all) {
      const int result = long_option(argc, argv, options, all, index, kind);
      if (result != -2) return result;
    }
    next = argv[optind] + 1;
  }
  return short_option(argc, argv, options);
}

REPLACEMENT int getopt(int argc, char* const* argv, const char* options) {
  return next_option(argc, (char**)argv, options, NULL, NULL, no_long, is_permuted);
}

REPLACEMENT int __posix_getopt(int argc, char* const* argv, const char* options) {
  return next_option(argc, (char**)argv, options, NULL, NULL, no_long, is_required);
}

REPLACEMENT int getopt_long(int argc, char* const* argv, const char* options, const struct option* all, int* index) {
  return next_option(argc, (char**)argv, options, all, index, long_with_two, is_permuted);
}

REPLACEMENT int getopt_long_only(int argc, char* const* argv, const char* options, const struct option* all,
                                 int* index) {
  return next_option(argc, (char**)argv, options, all, index, long_with_one, is_permuted);
}
