"""Gets source packages from wherever this machine gets its packages, without touching the machine's configuration.

The entries of the machine's apt sources are copied, as deb-src, into a directory of our own, with lists and caches of
their own; they keep the keyring that they name, or get the system's."""

import pathlib
import re
import subprocess

APT = pathlib.Path("/etc/apt")
KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class Unavailable(Exception):
    """The sources cannot be had here; says why."""


def stanzas():
    """The machine's sources as deb822 stanzas of type deb-src."""
    found = []
    for path in sorted((APT / "sources.list.d").glob("*.sources")):
        for stanza in re.split(r"\n\s*\n", path.read_text()):
            lines = [line for line in stanza.splitlines() if line.strip() and not line.startswith("#")]
            if any(re.match(r"Types:.*\bdeb\b", line) for line in lines):
                found.append("\n".join("Types: deb-src" if line.startswith("Types:") else line for line in lines))
    lists = [APT / "sources.list", *sorted((APT / "sources.list.d").glob("*.list"))]
    for path in lists:
        if not path.exists():
            continue
        for line in path.read_text().splitlines():
            match = re.match(r"deb\s+(?:\[(.*?)\]\s+)?(\S+)\s+(\S+)\s+(.*)", line)
            if match:
                options, address, suite, components = match.groups()
                key = re.search(r"signed-by=(\S+)", options or "")
                found.append(f"Types: deb-src\nURIs: {address}\nSuites: {suite}\nComponents: {components}\n"
                             f"Signed-By: {key.group(1) if key else KEYRING}")
    return found


class Apt:
    def __init__(self, work):
        self.work = work
        self.updated = False
        for name in ("parts", "lists/partial", "cache/archives/partial", "src"):
            (work / name).mkdir(parents=True, exist_ok=True)

    def run(self, arguments, timeout):
        settings = {"Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": self.work / "parts",
                    "Dir::State::Lists": self.work / "lists", "Dir::Cache": self.work / "cache"}
        command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items()), *arguments]
        try:
            done = subprocess.run(command, cwd=self.work / "src", capture_output=True, timeout=timeout)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"apt-get: {error}") from error
        if done.returncode != 0:
            raise Unavailable(f"apt-get {' '.join(arguments)}: {done.stderr.decode(errors='replace')[-500:]}")

    def source(self, package):
        """The directory of the unpacked source of a package."""
        kept = self.work / "src" / f"{package}.directory"
        if kept.exists():
            return pathlib.Path(kept.read_text())
        if not self.updated:
            entries = stanzas()
            if not entries:
                raise Unavailable("this machine has no apt sources to take source packages from")
            (self.work / "parts" / "sources.sources").write_text("\n\n".join(entries) + "\n")
            self.run(["update"], 300)
            self.updated = True
        before = set((self.work / "src").iterdir())
        self.run(["source", package], 300)
        new = [path for path in (self.work / "src").iterdir() if path.is_dir() and path not in before]
        if len(new) != 1:
            raise Unavailable(f"apt-get source {package} left {len(new)} directories")
        kept.write_text(str(new[0]))
        return new[0]
