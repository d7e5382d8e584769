// environment.c - an environment per rank: a list of pointers, at first to the strings of the process's environment.
//
// Threads     one at a time, as in the C library.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "replacement.h"

REPLACED_VARIABLE char** environ = NULL;
extern char** __environ __attribute__((weak, visibility("hidden"), alias("environ")));

static char** list;      // the list that this file has allocated: environ, unless the program has set that
static size_t capacity;  // of `list`, in pointers

static size_t count_of(char** entries) {
  size_t count = 0;
  while (entries && entries[count]) ++count;
  return count;
}

// Makes `environ` a list of ours with capacity for one more entry.
static int reserve_one_more(void) {
  const size_t count = count_of(environ);
  if (environ == list && count + 2 <= capacity) return 0;
  const size_t wanted = 2 * count + 16;
  char** const larger = malloc(wanted * sizeof *larger);
  if (!larger) return -1;
  if (count) memcpy(larger, environ, count * sizeof *larger);
  larger[count] = NULL;
  free(list);
  environ = list = larger;
  capacity = wanted;
  return 0;
}

void stretto_set_environment(char** entries) {
  environ = entries;
  reserve_one_more();
}

void stretto_release_environment(void) {
  environ = NULL;
  free(list);
  list = NULL;
}

static char** find(const char* name, size_t size) {
  for (char** entry = environ; entry && *entry; ++entry)
    if (strncmp(*entry, name, size) == 0 && (*entry)[size] == '=') return entry;
  return NULL;
}

static int put(char* entry, size_t name_size) {
  char** const place = find(entry, name_size);
  if (place) {
    *place = entry;
    return 0;
  }
  if (reserve_one_more() != 0) return -1;
  const size_t count = count_of(environ);
  environ[count] = entry;
  environ[count + 1] = NULL;
  return 0;
}

static int is_name(const char* name) {
  if (name && *name && !strchr(name, '=')) return 1;
  errno = EINVAL;
  return 0;
}

REPLACEMENT char* getenv(const char* name) {
  const size_t size = strlen(name);
  char** const place = find(name, size);
  return place ? *place + size + 1 : NULL;
}

REPLACEMENT char* secure_getenv(const char* name) { return getenv(name); }

REPLACEMENT int setenv(const char* name, const char* value, int overwrite) {
  if (!is_name(name)) return -1;
  const size_t size = strlen(name), value_size = strlen(value);
  if (!overwrite && find(name, size)) return 0;
  char* const entry = malloc(size + value_size + 2);  // never freed: the program may hold a pointer into it
  if (!entry) return -1;
  memcpy(entry, name, size);
  entry[size] = '=';
  memcpy(entry + size + 1, value, value_size + 1);
  return put(entry, size);
}

REPLACEMENT int unsetenv(const char* name) {
  if (!is_name(name)) return -1;
  const size_t size = strlen(name);
  for (char** place; (place = find(name, size));)
    for (; *place; ++place) place[0] = place[1];
  return 0;
}

REPLACEMENT int putenv(char* entry) {
  const char* const end = strchr(entry, '=');
  return end ? put(entry, (size_t)(end - entry)) : unsetenv(entry);
}

REPLACEMENT int clearenv(void) {
  environ = NULL;
  return 0;
}
