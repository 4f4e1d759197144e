/* POSIX regular expressions over text that other threads change. */
#include <regex.h>

#include "support.h"

static char text[64] = "alpha=1, beta=22, gamma=333";
static regex_t shared;

static uint64_t body(int index) {
  regex_t own;
  regmatch_t match[3];
  uint64_t hash = 0;
  if (regcomp(&own, index % 2 ? "([a-z]+)=([0-9]+)" : "([0-9]+)[, ]", REG_EXTENDED) != 0) exit(2);
  for (int i = 0, n = share_of(300); i < n; i++) {
    text[(index * 7 + i) % 26] = (char)('a' + i % 26);
    const regex_t *pattern = i % 3 ? &own : &shared;
    int found = regexec(pattern, text, 3, match, 0);
    hash = mix(hash, found == 0 ? (uint64_t)(match[0].rm_so * 64 + match[0].rm_eo) : 99);
    yield_every(i, 20);
  }
  char message[80];
  regerror(regcomp(&own, "(", REG_EXTENDED), &own, message, sizeof message);
  return mix(hash, message[0]);
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  regcomp(&shared, "[aeiou]{1,2}.?=", REG_EXTENDED | REG_ICASE);
  run_threads(body);
  print_results();
  puts(text);
  regfree(&shared);
  return 0;
}
