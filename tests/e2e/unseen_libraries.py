#!/usr/bin/env python3
"""`record` says which libraries of a program with threads have accesses that nobody sees, and keeps quiet otherwise."""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import harness  # noqa: E402

LIMIT = 120  # seconds
SENTENCE = b"not built with anaphora-cc: "


def build(command):
    outcome = harness.run(command, LIMIT)
    if outcome.status:
        sys.exit(outcome.stderr.decode(errors="replace"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    options = parser.parse_args()
    tools = harness.Tools(options.build)
    work = options.work.resolve()
    harness.run(["rm", "-rf", work], 30)
    work.mkdir(parents=True)
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
    shared = ["-shared", "-fPIC", "-o"]
    build(["cc", *shared, work / "libplain.so", work / "library.c"])
    build([*tools.build_command([work / "library.c"], ["-shared", "-fPIC"], work / "libseen.so")])
    failed = 0
    for name, arguments, expected in (("plain", [], True), ("plain", ["alone"], False), ("seen", [], False)):
        program = work / f"with_{name}"
        build(tools.build_command([work / "program.c"], ["-O1", f"-Wl,-rpath,{work}", f"-L{work}", f"-l{name}"], program))
        trace = work / "trace"
        harness.run(["rm", "-rf", trace], 30)
        recorded = harness.run([tools.anaphora, "record", "-o", trace, program, *arguments], LIMIT)
        said = SENTENCE + b"libplain.so" in recorded.stderr
        good = recorded.status == 0 and said == expected and (expected or SENTENCE not in recorded.stderr)
        print(f"{'pass' if good else 'FAIL'}  {name} {arguments}")
        if not good:
            print(recorded.status, recorded.stderr.decode(errors="replace"))
        failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
