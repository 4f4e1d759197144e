#!/usr/bin/env python3
"""The page of `anaphora view`, tested: its source, in a browser (page), of an MPI job (ranks), with false sharing
(sharing), with a million events (speed).

  run_view.py packages|source|page|ranks|sharing|speed --build BUILD --work DIRECTORY [--measure]

Exit status 77: it cannot be tested here, since npm or a browser is missing; says which, and what to install."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import perfetto

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
SKIPPED = 77
EVENTS, THREADS, SEED = 1_000_000, 8, 1


def skip(why):
    print(f"not tested: {why}")
    sys.exit(SKIPPED)


def run(*command, timeout=300, **options):
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], timeout=timeout, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with status {done.returncode}")
    return done


def packages(options):
    """What the lock file names, into web/node_modules, unless it is there."""
    if shutil.which("npm") is None:
        skip("npm is missing (Debian's packages nodejs and npm)")
    installed, wanted = WEB / "node_modules" / ".package-lock.json", WEB / "package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= wanted.stat().st_mtime:
        return
    done = subprocess.run(["npm", "install", "--no-save", "--no-audit", "--no-fund"], cwd=WEB, timeout=600)
    if done.returncode != 0:
        skip("npm could not install the packages of web/package-lock.json (see above); is there a way to a registry?")


def need_packages():
    if not (WEB / "node_modules").exists():
        skip("the packages of web/ are not installed (test view.packages)")


def source(options):
    need_packages()
    run("npx", "--no-install", "tsc", "--noEmit", cwd=WEB)
    run("npm", "run", "--silent", "lint", cwd=WEB)
    run("npm", "run", "--silent", "test", cwd=WEB)
    run("npm", "run", "--silent", "check-built", cwd=WEB)


def need_browser():
    need_packages()
    if not pathlib.Path(os.environ.get("CHROMIUM", "/usr/bin/chromium")).exists():
        skip("chromium is missing (Debian's package chromium), and CHROMIUM does not name another one")


def small_page(options):
    binaries = options.build / "bin"
    program, trace, page = (options.work / name for name in ("small", "small-trace", "small.html"))
    run(binaries / "anaphora-c++", "-g", "-O1", "-std=c++20", "-pthread", ROOT / "tests/view/small.cc", "-o", program)
    shutil.rmtree(trace, ignore_errors=True)
    # With --chaos, so that the threads meet whatever the machine does.
    run(binaries / "anaphora", "record", "-q", "--chaos=1", "-o", trace, program)
    run(binaries / "anaphora", "view", trace, "-o", page)
    if page.stat().st_mode & 0o077:
        sys.exit(f"{page} can be read by others, as traces cannot")
    return page


def page(options):
    need_browser()
    run("node", WEB / "browser/page.mjs", small_page(options), options.work)


def ranks(options):
    """A job in which rank 0 receives from any source; its Perfetto trace as well."""
    need_browser()
    sys.path.insert(0, str(ROOT / "tests/mpi"))
    import harness

    mpis = harness.mpis()
    if not mpis:
        skip("there is no MPI (Debian's packages libopenmpi-dev openmpi-bin, or libmpich-dev mpich)")
    program = harness.compile_program(mpis[0], ROOT / "tests/mpi/programs/fan_in.c", options.work / "fan_in")
    tool, trace, count = options.build / "bin/anaphora", options.work / "job", 3
    job = harness.Tool(options.build).record(mpis[0], count, trace, [program])
    if job.status != 0:
        sys.exit(f"the job ended with status {job.status}\n{job.err}")
    run(tool, "view", trace, "-o", options.work / "ranks.html")
    run("node", WEB / "browser/ranks.mjs", options.work / "ranks.html", count, options.work)
    run(tool, "export", "--perfetto", trace, "-o", options.work / "ranks.json")
    _, _, flows = perfetto.check_file(options.work / "ranks.json")
    if not any(flow["s"]["name"] == "message" for flow in flows.values()):
        sys.exit("the Perfetto trace has no message")


def sharing(options):
    """False sharing, which a file of references tells."""
    need_browser()
    tool, program, trace = options.build / "bin/anaphora", options.work / "neighbours", options.work / "trace"
    references, page = options.work / "references", options.work / "sharing.html"
    run(options.build / "bin/anaphora-c++", "--every-access", "-g", "-O1", "-std=c++20", "-pthread",
        ROOT / "tests/view/neighbours.cc", "-o", program)
    shutil.rmtree(trace, ignore_errors=True)
    run(tool, "record", "-q", "--chaos=1", "-o", trace, program)
    run(tool, "replay", "-a", "-q", f"--trace-all={references}", trace)
    run(tool, "view", trace, "--references", references, "-o", page)
    run("node", WEB / "browser/sharing.mjs", page, options.work)


def speed(options):
    need_browser()
    trace, large = options.work / "large-trace", options.work / "large.html"
    shutil.rmtree(trace, ignore_errors=True)
    run(options.build / "tests/view/anaphora_generate_trace", trace, EVENTS, THREADS, SEED)
    run(options.build / "bin/anaphora", "view", trace, "-o", large)
    run("node", WEB / "browser/speed.mjs", large, small_page(options), *(["--json"] if options.measure else []))
    shutil.rmtree(trace)
    large.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["packages", "source", "page", "ranks", "sharing", "speed"])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--measure", action="store_true", help="speed: print all numbers, compare nothing")
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    globals()[options.what](options)


if __name__ == "__main__":
    main()
