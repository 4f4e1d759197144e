/* obstack, argz, envz, getsubopt: texts that grow in blocks of the library's. */
#define _GNU_SOURCE
#include <argz.h>
#include <envz.h>
#include <obstack.h>

#include "support.h"

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static char *list;
static size_t listed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t body(int index) {
  uint64_t hash = 0;
  struct obstack stack;
  obstack_init(&stack);
  for (int i = 0, n = share_of(120); i < n; i++) {
    obstack_printf(&stack, "%d.%d", index, i);
    obstack_1grow(&stack, 0);
    char *text = obstack_finish(&stack);
    hash = mix(hash, (uint64_t)(uintptr_t)text);
    pthread_mutex_lock(&lock);
    if (listed > 400) argz_delete(&list, &listed, list);
    argz_add(&list, &listed, text);
    envz_add(&list, &listed, "owner", text);
    hash = mix(hash, argz_count(list, listed) + listed);
    pthread_mutex_unlock(&lock);
    hash = mix(hash, listed); /* races */
    char options[] = "rw,size=12,none";
    char *at = options, *value;
    char *const known[] = {(char *)"rw", (char *)"size", NULL};
    while (*at) hash = mix(hash, (uint64_t)(getsubopt(&at, known, &value) + 2) + (value ? (uint64_t)atoi(value) : 0));
    if (i % 10 == 9) obstack_free(&stack, text);
    yield_every(i, 10);
  }
  obstack_free(&stack, NULL);
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  argz_stringify(list, listed, ' ');
  printf("%.50s\n", list);
  return 0;
}
