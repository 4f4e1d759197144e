#!/usr/bin/env python3
"""`record` says which libraries of a program with threads have accesses that nobody sees, and keeps quiet otherwise."""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
SENTENCE = b"not built with anaphora-cc: "


def main():
    tools, work = harness.begin(__doc__)
    (work / "library.c").write_text("int calls;\nint twice(int x) { calls++; return 2 * x; }\n")
    (work / "program.c").write_text("""#include <pthread.h>
int twice(int);
static void* body(void* x) { return (void*)(long)twice((int)(long)x); }
int main(int argc, char** argv) {
  pthread_t thread;
  if (argc > 1) return twice(0);
  pthread_create(&thread, 0, body, 0);
  return pthread_join(thread, 0);
}
""")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", work / "libplain.so", work / "library.c"], check=True, timeout=LIMIT)
    tools.build([work / "library.c"], ["-shared", "-fPIC"], work / "libseen.so")
    problems = []
    for name, arguments, expected in (("plain", [], True), ("plain", ["alone"], False), ("seen", [], False)):
        flags = ["-O1", f"-Wl,-rpath,{work}", f"-L{work}", f"-l{name}"]
        program, trace = tools.build([work / "program.c"], flags, work / f"with_{name}"), work / "trace"
        shutil.rmtree(trace, ignore_errors=True)
        recorded = harness.run([tools.anaphora, "record", "-o", trace, program, *arguments], LIMIT)
        said = SENTENCE + b"libplain.so" in recorded.stderr
        good = recorded.status == 0 and said == expected and (expected or SENTENCE not in recorded.stderr)
        if not good:
            problems.append(f"{name} {arguments}: {recorded.status} {recorded.stderr.decode(errors='replace')}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
