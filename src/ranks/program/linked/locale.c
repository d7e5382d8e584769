// locale.c - setlocale per rank: a locale object of the rank's own, in force on the thread that runs it.
//
// Threads     one at a time, as in the C library. `program_copy::enter_thread` puts the object in force elsewhere.
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "replacement.h"

enum { category_count = 12 };
static const int categories[category_count] = {LC_CTYPE,    LC_NUMERIC,   LC_TIME,        LC_COLLATE,
                                               LC_MONETARY, LC_MESSAGES,  LC_PAPER,       LC_NAME,
                                               LC_ADDRESS,  LC_TELEPHONE, LC_MEASUREMENT, LC_IDENTIFICATION};
static const char* const names[category_count] = {"LC_CTYPE",    "LC_NUMERIC",   "LC_TIME",        "LC_COLLATE",
                                                  "LC_MONETARY", "LC_MESSAGES",  "LC_PAPER",       "LC_NAME",
                                                  "LC_ADDRESS",  "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
static locale_t own;
static char text[1024];

static const char* name_of(int category) { return own ? nl_langinfo_l(_NL_LOCALE_NAME(category), own) : "C"; }

static char* whole_text(void) {
  int are_equal = 1;
  for (int i = 1; i < category_count; ++i) are_equal &= !strcmp(name_of(categories[i]), name_of(categories[0]));
  text[0] = 0;
  for (int i = 0; i < (are_equal ? 1 : category_count); ++i) {
    const char* const name = name_of(categories[i]);
    if (strlen(text) + strlen(names[i]) + strlen(name) + 3 > sizeof text) break;
    if (i) strcat(text, ";");
    if (!are_equal) strcat(strcat(text, names[i]), "=");
    strcat(text, name);
  }
  return text;
}

static char* text_of(int category) {
  if (category == LC_ALL) return whole_text();
  return strncpy(text, name_of(category), sizeof text - 1);
}

// The name in the environment for the empty name.
static const char* name_in_environment(int index) {
  const char* const variables[] = {"LC_ALL", names[index], "LANG"};
  for (int i = 0; i < 3; ++i) {
    const char* const value = getenv(variables[i]);
    if (value && *value) return value;
  }
  return "C";
}

static locale_t with_category(locale_t base, int index, const char* name) {
  const locale_t changed = newlocale(1 << categories[index], *name ? name : name_in_environment(index), base);
  if (!changed) freelocale(base);
  return changed;
}

static locale_t changed_locale(int category, const char* name) {
  locale_t changed = own ? duplocale(own) : newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (category == LC_ALL && *name) {
    const locale_t all = newlocale(LC_ALL_MASK, name, changed);
    if (!all) freelocale(changed);
    return all;
  }
  for (int i = 0; i < category_count && changed; ++i)
    if (category == LC_ALL || category == categories[i]) changed = with_category(changed, i, name);
  return changed;
}

REPLACEMENT char* setlocale(int category, const char* name) {
  if (category < 0 || category > LC_IDENTIFICATION) return NULL;
  if (!name) return text_of(category);
  const locale_t changed = changed_locale(category, name);
  if (!changed) return NULL;
  uselocale(changed);
  if (own) freelocale(own);
  own = changed;
  return text_of(category);
}
