// Tables and lists of the C library in memory of the program's. What the program holds itself, roots and sizes, is held while
// the function runs, also where that calls a comparison of the program's. The elements may be many: only what has happened
// to them before is in order, as for qsort.
#include "runtime/interpose/libc_wrappers.h"

#include <argz.h>
#include <envz.h>
#include <search.h>

#include "runtime/interpose/held_memory.h"

using ana::access::read_all;
using ana::access::write_all;

#define ANA_SEARCH(result, name, parameters, arguments, ...) \
  ANA_EXPORT result name parameters {                        \
    ana::HeldMemory held;                                    \
    if (!ana::passive()) {                                   \
      __VA_ARGS__;                                           \
      held.hold();                                           \
    }                                                        \
    return ANA_REAL(name) arguments;                         \
  }

ANA_SEARCH(void*, lsearch, (const void* key, void* base, size_t* n, size_t size, __compar_fn_t compare),
           (key, base, n, size, compare), read_all(key, size), held.write(n, sizeof *n), write_all(base, (*n + 1) * size))
ANA_SEARCH(void*, lfind, (const void* key, const void* base, size_t* n, size_t size, __compar_fn_t compare),
           (key, base, n, size, compare), read_all(key, size), read_all(n, sizeof *n), read_all(base, *n * size))
ANA_SEARCH(void*, tsearch, (const void* key, void** root, __compar_fn_t compare), (key, root, compare),
           held.write(root, sizeof *root))
ANA_SEARCH(void*, tdelete, (const void* key, void** root, __compar_fn_t compare), (key, root, compare),
           held.write(root, sizeof *root))
ANA_SEARCH(void*, tfind, (const void* key, void* const* root, __compar_fn_t compare), (key, root, compare),
           read_all(root, sizeof *root))
ANA_SEARCH(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY** result, struct hsearch_data* table) noexcept,
           (entry, action, result, table), ana::access::read_string(entry.key), held.write(result, sizeof *result),
           held.write(table, sizeof *table))

// Of lists of strings only what the program holds itself is taken: where the block is, and how long.
static void write_list(ana::HeldMemory& held, char** list, size_t* bytes) {
  held.write(list, sizeof *list);
  held.write(bytes, sizeof *bytes);
}

ANA_SEARCH(error_t, argz_add, (char** list, size_t* n, const char* s) noexcept, (list, n, s), write_list(held, list, n))
ANA_SEARCH(error_t, argz_add_sep, (char** list, size_t* n, const char* s, int c) noexcept, (list, n, s, c),
           write_list(held, list, n))
ANA_SEARCH(error_t, argz_append, (char** list, size_t* n, const char* s, size_t bytes) noexcept, (list, n, s, bytes),
           write_list(held, list, n))
ANA_SEARCH(error_t, argz_insert, (char** list, size_t* n, char* before, const char* s) noexcept, (list, n, before, s),
           write_list(held, list, n))
ANA_SEARCH(error_t, argz_create_sep, (const char* s, int c, char** list, size_t* n) noexcept, (s, c, list, n),
           ana::access::read_string(s), write_list(held, list, n))
ANA_SEARCH(void, argz_delete, (char** list, size_t* n, char* entry) noexcept, (list, n, entry), write_list(held, list, n))
ANA_SEARCH(error_t, envz_add, (char** list, size_t* n, const char* name, const char* value) noexcept,
           (list, n, name, value), write_list(held, list, n))
ANA_SEARCH(void, envz_remove, (char** list, size_t* n, const char* name) noexcept, (list, n, name), write_list(held, list, n))
ANA_SEARCH(error_t, envz_merge, (char** list, size_t* n, const char* other, size_t bytes, int replace) noexcept,
           (list, n, other, bytes, replace), write_list(held, list, n))
