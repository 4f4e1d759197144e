#include "runtime/interpose/stdio_wrappers.h"

#include "runtime/interpose/stdio_list.h"

#include <stdlib.h>

namespace ana {
namespace {

// Inside kLibc. The three standard streams are not in it.
struct OpenFiles {
  FILE** at;
  size_t count;
  size_t capacity;
} g_open;

bool is_standard(const FILE* f) { return f == stdin || f == stdout || f == stderr; }

bool is_open(const FILE* f) {
  if (is_standard(f)) return true;
  KnownSection section(WellKnown::kLibc);
  for (size_t i = 0; i < g_open.count; ++i) {
    if (g_open.at[i] == f) return true;
  }
  return false;
}

// Nobody closes it while we are in its section; before that somebody may have.
int flush_if_open(FILE* f) {
  Section section(f);
  return is_open(f) ? ANA_REAL(fflush)(f) : 0;
}

}  // namespace

FILE* add_open_file(FILE* f) {
  if (!f) return f;
  if (g_open.count == g_open.capacity) {
    size_t capacity = g_open.capacity ? 2 * g_open.capacity : 16;
    void* larger = realloc(g_open.at, capacity * sizeof(FILE*));
    if (!larger) return f;  // fflush(NULL) will not know it
    g_open.at = static_cast<FILE**>(larger);
    g_open.capacity = capacity;
  }
  g_open.at[g_open.count++] = f;
  return f;
}

void remove_open_file(FILE* f) {
  for (size_t i = 0; i < g_open.count; ++i) {
    if (g_open.at[i] != f) continue;
    --g_open.count;
    for (; i < g_open.count; ++i) g_open.at[i] = g_open.at[i + 1];
    return;
  }
}

int flush_all_files() {
  FILE** files = nullptr;
  size_t count = 0;
  {
    KnownSection section(WellKnown::kLibc);
    files = static_cast<FILE**>(malloc((g_open.count + 1) * sizeof(FILE*)));
    for (; files && count < g_open.count; ++count) files[count] = g_open.at[count];
  }
  int result = flush_if_open(stdout) | flush_if_open(stderr);
  while (count) result |= flush_if_open(files[--count]);  // the latest first, as glibc does
  free(files);
  return result ? EOF : 0;
}

}  // namespace ana
