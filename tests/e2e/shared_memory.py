#!/usr/bin/env python3
"""`record` warns of memory that other processes may write, and keeps quiet of memory that only the program's threads share."""

import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
SENTENCE = b"it has memory that other processes may share"
PROGRAM = """#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int flags = MAP_SHARED, file = -1;
  char name[64];
  snprintf(name, sizeof name, "/anaphora-shared-%d", (int)getpid());
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "private")) flags = MAP_PRIVATE;
    if (!strcmp(argv[i], "named")) file = shm_open(name, O_RDWR | O_CREAT, 0600);
    if (!strcmp(argv[i], "hidden")) file = memfd_create("hidden", 0);
  }
  if (file >= 0 && ftruncate(file, 4096)) return 1;
  char* at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, file < 0 ? flags | MAP_ANONYMOUS : flags, file, 0);
  shm_unlink(name);
  if (at == MAP_FAILED) return 2;
  at[0] = 1;
  if (!strcmp(argv[argc - 1], "fork")) {
    if (!fork()) _exit(0);
    wait(NULL);
  }
  return 0;
}
"""
CASES = [(["private", "fork"], False), (["alone"], False), (["hidden", "alone"], False), (["named", "alone"], True),
         (["fork"], True), (["hidden", "fork"], True)]


def main():
    tools, work = harness.begin(__doc__)
    (work / "program.c").write_text(PROGRAM)
    program = tools.build([work / "program.c"], ["-O1"], work / "program")
    problems = []
    for arguments, expected in CASES:
        trace = work / "trace"
        shutil.rmtree(trace, ignore_errors=True)
        recorded = harness.run([tools.anaphora, "record", "-o", trace, program, *arguments], LIMIT)
        if recorded.status or (SENTENCE in recorded.stderr) != expected:
            problems.append(f"{arguments}: {recorded.status} {recorded.stderr.decode(errors='replace')}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
