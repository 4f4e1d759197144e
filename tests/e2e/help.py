#!/usr/bin/env python3
"""`anaphora help` and `anaphora help COMMAND` say what --help does, of every command; each has a man page and is completed.

  help.py --build BUILD --work WORK"""

import pathlib
import re
import sys

import harness

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds


def main():
    tools, _ = harness.begin(__doc__)
    problems = []

    def ask(*words):
        return harness.run([tools.anaphora, *words], LIMIT)

    def expect_same(one, other):
        a, b = ask(*one), ask(*other)
        if a.status != 0 or a.stdout != b.stdout or not a.stdout:
            problems.append(f"{' '.join(one)}: status {a.status}, and says another thing than {' '.join(other)}")

    expect_same(["help"], ["--help"])
    commands = re.findall(r"^  ([a-z]+) +[A-Z]", ask("--help").stdout.decode().partition("Subcommands:")[2], re.MULTILINE)
    completions = [(ROOT / "src/cli/completion" / name).read_text() for name in ("anaphora.bash", "_anaphora")]
    for command in commands:
        expect_same(["help", command], [command, "--help"])
        if not (ROOT / f"docs/man/anaphora-{command}.1").exists():
            problems.append(f"{command} has no man page")
        problems += [f"{command} is not completed" for text in completions if not re.search(rf"\b{command}\b", text)]
    if len(commands) < 10:
        problems.append(f"only {commands} are commands")
    wrong = ask("help", "nothing")
    if wrong.status != 2 or b"there is no command nothing" not in wrong.stderr:
        problems.append(f"help nothing: status {wrong.status}")
    return harness.verdict(problems)


if __name__ == "__main__":
    sys.exit(main())
