// Tables of the C library in memory of the program's. They call a comparison of the program's, which may wait, so the
// memory is not held all the time: only what has happened to it before is in order, as for qsort.
#include "runtime/interpose/libc_wrappers.h"

#include <search.h>

using ana::access::read_all;
using ana::access::write_all;

#define ANA_SEARCH(result, name, parameters, arguments, ...) \
  ANA_EXPORT result name parameters {                        \
    if (!ana::passive()) {                                   \
      __VA_ARGS__;                                           \
    }                                                        \
    return ANA_REAL(name) arguments;                         \
  }

ANA_SEARCH(void*, lsearch, (const void* key, void* base, size_t* n, size_t size, __compar_fn_t compare),
           (key, base, n, size, compare), read_all(key, size), write_all(n, sizeof *n), write_all(base, (*n + 1) * size))
ANA_SEARCH(void*, lfind, (const void* key, const void* base, size_t* n, size_t size, __compar_fn_t compare),
           (key, base, n, size, compare), read_all(key, size), read_all(n, sizeof *n), read_all(base, *n * size))
ANA_SEARCH(void*, tsearch, (const void* key, void** root, __compar_fn_t compare), (key, root, compare),
           write_all(root, sizeof *root))
ANA_SEARCH(void*, tdelete, (const void* key, void** root, __compar_fn_t compare), (key, root, compare),
           write_all(root, sizeof *root))
ANA_SEARCH(void*, tfind, (const void* key, void* const* root, __compar_fn_t compare), (key, root, compare),
           read_all(root, sizeof *root))
ANA_SEARCH(int, hsearch_r, (ENTRY entry, ACTION action, ENTRY** result, struct hsearch_data* table) noexcept,
           (entry, action, result, table), ana::access::read_string(entry.key), write_all(result, sizeof *result),
           write_all(table, sizeof *table))
