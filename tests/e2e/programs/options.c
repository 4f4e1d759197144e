/* getopt_long, argument parsing by argp, error and warn: what a tool does before and after its threads run. */
#define _GNU_SOURCE
#include <argp.h>
#include <err.h>
#include <error.h>
#include <getopt.h>

#include "support.h"

static int rounds = 10, verbose;

static error_t parse(int key, char *value, struct argp_state *state) {
  (void)state;
  if (key == 'r') rounds = atoi(value);
  return key == 'r' ? 0 : ARGP_ERR_UNKNOWN;
}

static int counter;

static uint64_t body(int index) {
  uint64_t hash = 0;
  for (int i = 0; i < rounds * 20; i++) {
    counter += index + 1;
    hash = mix(hash, (uint64_t)counter);
    if (verbose && i % 64 == 63) warnx("thread %d at %d", index, counter);
    yield_every(i, 10);
  }
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  static const struct option kOptions[] = {{"verbose", no_argument, &verbose, 1}, {"rounds", required_argument, NULL, 'r'}, {0}};
  for (int c; (c = getopt_long(argc, argv, "r:", kOptions, NULL)) != -1;)
    if (c == 'r') rounds = atoi(optarg);
  const struct argp_option options[] = {{"rounds", 'r', "N", 0, "how many", 0}, {0}};
  struct argp parser = {options, parse, NULL, "a test", NULL, NULL, NULL};
  char *again[] = {argv[0], (char *)"--rounds=12", NULL};
  argp_parse(&parser, 2, again, ARGP_NO_EXIT, NULL, NULL);
  run_threads(body);
  print_results();
  error(0, 2, "%s at %d", program_invocation_short_name, counter);
  return counter == 0;
}
