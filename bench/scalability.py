"""The scalability figure: elapsed time against threads, native and traced, relative to one thread."""

import matplotlib

matplotlib.use("svg")
# The same data gives the same bytes.
matplotlib.rcParams.update({"svg.hashsalt": "anaphora", "svg.fonttype": "none", "font.size": 8})
import matplotlib.pyplot as plot  # noqa: E402

STYLES = {"native": "k-o", "rwtrace-1": "C0--s", "rwtrace-2": "C1:^"}


def draw(path, times, title):
    """`times`: {program: {way: {threads: seconds}}}."""
    columns = min(3, len(times))
    lines = -(-len(times) // columns)
    figure, axes = plot.subplots(lines, columns, figsize=(2.6 * columns, 2.1 * lines), squeeze=False, sharex=True)
    for place, (program, ways) in zip(axes.flat, times.items()):
        for way, points in ways.items():
            threads = sorted(points)
            if threads and threads[0] == 1:
                relative = [points[n] / points[1] for n in threads]
                place.plot(threads, relative, STYLES[way], label=way, markersize=3, linewidth=1)
        place.set_title(program)
        place.set_xscale("log", base=2)
        place.set_xticks(sorted({n for points in ways.values() for n in points}))
        place.get_xaxis().set_major_formatter(matplotlib.ticker.ScalarFormatter())
        place.set_ylim(bottom=0)
    for place in list(axes.flat)[len(times):]:
        place.set_visible(False)
    axes[0][0].legend(frameon=False)
    figure.supxlabel("threads")
    figure.supylabel("time / time of one thread")
    figure.suptitle(title)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
