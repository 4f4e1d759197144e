"""A recording that is watched from outside: what its program has said, and how much of that is acknowledged.

A record is acknowledged when the recorder has written the chunk that holds it and then three chunks of positions,
of which there are about five a second (docs/format.md): one asks threads that compute to tell how far they are, and
they need some time to do so. From outside that is known as follows. When a line is seen, the records of all lines
before it of that thread are in the thread's ring, or saved. One pass of the recorder over the rings makes at most
two chunks of a slot; so when the slot has three chunks more than when the line was seen, one of them is from a pass
that began later, and all that was in the ring is saved."""

import os
import re
import selectors
import signal
import struct
import subprocess
import time

FILE_HEADER, CHUNK_HEADER = 16, struct.Struct("<4sIIIQ")
NEW_CHUNKS, NEW_POSITIONS = 3, 3
LINE = re.compile(rb"(\d+) (\d+) [0-9a-f]{16}\n")


class Chunks:
    """Counts the whole chunks of each slot in a file that grows; of these, those that enough positions have followed."""

    def __init__(self, path):
        self.path, self.offset, self.written, self.settled = path, FILE_HEADER, {}, {}
        self._positions = []  # what was written before the last of them

    def look(self):
        try:
            with open(self.path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                while self.offset + CHUNK_HEADER.size <= size:
                    file.seek(self.offset)
                    magic, slot, _, stored, _ = CHUNK_HEADER.unpack(file.read(CHUNK_HEADER.size))
                    if self.offset + CHUNK_HEADER.size + stored > size:
                        break
                    self.offset += CHUNK_HEADER.size + stored
                    if magic == b"POSI":
                        self._positions.append(dict(self.written))
                        self.settled = self._positions[-NEW_POSITIONS] if len(self._positions) >= NEW_POSITIONS else {}
                    else:
                        self.written[slot] = self.written.get(slot, 0) + 1
        except FileNotFoundError:
            pass


def lines_of(output):
    """How many whole lines each thread has printed; its lines are numbered from 0."""
    counts = {}
    for thread, number in LINE.findall(output):
        assert int(number) == counts.get(int(thread), 0), "the program's own lines are out of order"
        counts[int(thread)] = int(number) + 1
    return counts


class Recording:
    def __init__(self, command, trace, threads, preexec=None):
        self.chunks, self.threads = Chunks(trace / "streams"), threads
        self.stdout, self.stderr, self.status = b"", b"", None
        self.acknowledged = {}  # lines of each thread
        self._samples = []      # lines seen, chunks at that time
        self._counted, self._rest = {}, b""
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                        preexec_fn=preexec)
        self._selector = selectors.DefaultSelector()
        for pipe in (self.process.stdout, self.process.stderr):
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ)

    def watch(self, until, limit):
        """Reads what comes until the condition holds or nobody can write any more. False if that takes too long."""
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if until is not None and until():
                return True
            if not self._selector.get_map():
                return True
            for key, _ in self._selector.select(0.02):
                self._read(key.fileobj)
            self._look()
        return False

    def _read(self, pipe):
        part = pipe.read(1 << 16)
        if not part:
            self._selector.unregister(pipe)
        elif pipe is self.process.stderr:
            self.stderr += part
        else:
            self.stdout += part
            self._rest += part
            whole = self._rest.rfind(b"\n") + 1
            for thread, number in LINE.findall(self._rest[:whole]):
                self._counted[int(thread)] = int(number) + 1
            self._rest = self._rest[whole:]

    def _look(self):
        # The lines first: a chunk that comes between the two looks then counts as old.
        seen = dict(self._counted)
        self.chunks.look()
        chunks, settled = dict(self.chunks.written), self.chunks.settled
        talking = range(1, self.threads + 1)  # thread i has slot i + 1

        def is_saved(sample):
            return all(settled.get(slot, 0) >= sample[1].get(slot, 0) + NEW_CHUNKS for slot in talking)

        while self._samples and is_saved(self._samples[0]):
            # The last line of each may have been printed, but not recorded yet, when it was seen.
            self.acknowledged = {thread: lines - 1 for thread, lines in self._samples.pop(0)[0].items()}
        if len(seen) == self.threads and (not self._samples or self._samples[-1][1] != chunks):
            self._samples.append((seen, chunks))

    def program(self):
        """The process id of the recorded program, or None."""
        try:
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
                children = file.read().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def finish(self, limit):
        """Waits for the end. False, and all is killed, if it does not come: somebody hangs."""
        ended = self.watch(None, limit)
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired:
            ended = False
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        code = self.process.wait()
        self.status = code if code >= 0 else 128 - code
        return ended
