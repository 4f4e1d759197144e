/* posix_spawn, system and popen in several threads; programs that do not exist; output of children as input. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"

extern char **environ;

static volatile uint32_t racing;

static uint64_t spawn_one(int index) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int ends[2];
  if (pipe(ends) != 0) return 0;
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  char script[64];
  snprintf(script, sizeof script, "echo $$ of $PPID; exit %d", index);
  char *arguments[] = {"sh", "-c", script, NULL};
  pid_t child = 0, none = 0;
  int result = posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ);
  close(ends[1]);
  posix_spawn_file_actions_destroy(&actions);
  char text[100] = "";
  FILE *from = fdopen(ends[0], "r");
  if (!fgets(text, sizeof text, from)) text[0] = 0;
  fclose(from);
  int status = 0;
  waitpid(child, &status, 0);
  int failed = posix_spawnp(&none, "no-such-program-anywhere", NULL, NULL, arguments, environ);
  printf("%d: spawned %d, %d ended with %x and said %s", index, result, (int)child, status, text);
  printf("%d: not spawned: %s\n", index, strerror(failed));
  return mix((uint64_t)status, (uint64_t)strlen(text));
}

static uint64_t body(int index) {
  uint64_t hash = spawn_one(index);
  FILE *from = popen("date +%N; echo $$", "r");
  char line[100];
  while (fgets(line, sizeof line, from)) {
    racing = racing * 31 + (uint32_t)atoi(line);
    hash = mix(hash, racing);
  }
  hash = mix(hash, (uint64_t)pclose(from));
  FILE *to = popen("cat > /dev/null; exit 3", "w");
  fprintf(to, "for the child: %d\n", index);
  hash = mix(hash, (uint64_t)pclose(to));
  hash = mix(hash, (uint64_t)system("exit 5"));
  return hash;
}

int main(int argc, char **argv) {
  parse_threads(argc, argv);
  run_threads(body);
  print_results();
  printf("a shell: %d\n", system(NULL) != 0);
  printf("racing %08x\n", racing);
  return 0;
}
