"""bench.md and its pictures, from what run_bench.py has measured."""

import math

try:
    import matplotlib

    matplotlib.use("svg")
    # The same data gives the same bytes.
    matplotlib.rcParams.update({"svg.hashsalt": "anaphora", "svg.fonttype": "none", "font.size": 8})
    import matplotlib.pyplot as plot
except ImportError:
    plot = None

HAMMERS = {"mutex_hammer": "one mutex", "atomic_hammer": "one atomic counter", "racy_counter": "one plain variable"}
SCALES = 1.5  # a program does, if it is so many times as fast on all processors as on one


def ratio(result, way, field="cpu_min", start=None):
    """To native; less what starting takes, if `start` tells."""
    ways = result["ways"]
    if way not in ways or "native" not in ways:
        return None

    def value(one):
        took = ways[one][field]
        return took - start["ways"][one][field] if start and one in start["ways"] else took
    # Below a hundredth of a second there is nothing to divide by.
    return value(way) / value("native") if value("native") > (0.01 if field != "rss_kib" else 0) else None


def geometric_mean(values):
    values = [v for v in values if v and v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(value, form="{:.2f}"):
    return "–" if value is None else form.format(value)


def in_short(result, ways, start=None):
    shown = ", ".join(f"{way} {show(ratio(result, way, start=start))}" for way in ways if way != "native")
    return shown + "".join(f"; {problem}" for problem in sorted(set(result["problems"])))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


def per_second(result):
    """Bytes of trace per second of native run."""
    size, native = result["recordings"].get("record", {}).get("trace_bytes"), result["ways"].get("native")
    return size / native["wall_min"] if size and native and native["wall_min"] > 0 else None


def kernels_part(results, threads):
    ways = ["one core", "tsan", "record", "replay"]
    head = ["program", "native CPU s", *(f"{way} CPU" for way in ways), *(f"{way} wall" for way in ways),
            "record memory", "dependences", "edges", "trace KB/s"]
    rows = []
    for r in results:
        counters = r["recordings"].get("record", {})
        rows.append([HAMMERS.get(r["program"], r["program"]), show(r["ways"].get("native", {}).get("cpu_min")),
                     *(show(ratio(r, way)) for way in ways), *(show(ratio(r, way, "wall_min")) for way in ways),
                     show(ratio(r, "record", "rss_kib")), show(counters.get("dependences"), "{:,}"),
                     show(counters.get("edges"), "{:,}"), show(per_second(r) and per_second(r) / 1000, "{:,.0f}")])
    chosen = [r for r in results if r["program"] not in HAMMERS]
    rows.append(["**geometric mean, without the three hammers**", "",
                 *(show(geometric_mean(ratio(r, way, field) for r in chosen))
                   for field in ("cpu_min", "wall_min") for way in ways),
                 show(geometric_mean(ratio(r, "record", "rss_kib") for r in chosen)), "", "", ""])
    return [f"## Programs, {threads} threads", "", "Ratios to native, of the minima.", ""] + table(head, rows)


def peers_part(peers):
    results, start = peers["results"], peers["start"]
    ways = [way for way in start["ways"] if way != "native"]
    rows = [[r["program"], *(show(ratio(r, way, start=start)) for way in ways)] for r in results]
    rows.append(["**geometric mean**",
                 *(show(geometric_mean(ratio(r, way, start=start) for r in results)) for way in ways)])
    lines = ["## Peers, on small inputs", "",
             "CPU time to native, less what an empty program takes in the same way. The algorithms are ours "
             "(docs/algorithms.md), of programs built with --every-access; `races` is a replay that looks for data "
             "races.", ""]
    lines += table(["program", *ways], rows)
    rows = []
    for r in results:
        for way, counters in r["recordings"].items():
            references = [c.get("references") for c in r["recordings"].values() if c.get("references")]
            million = references[0] / 1e6 if references else None
            edges = counters.get("edges")
            rows.append([r["program"], way, show(counters.get("dependences"), "{:,}"), show(edges, "{:,}"),
                         show(edges / million if million and edges is not None else None, "{:,.1f}"),
                         show(counters.get("trace_bytes"), "{:,}"), show(ratio(r, way, "rss_kib"))])
    head = ["program", "recorder", "dependences", "edges", "edges per million accesses", "trace bytes", "memory"]
    return lines + table(head, rows)


def growth_part(growth):
    lines = ["## Growth", "", "CPU time of recording (and of replay), ratio to native with the same arguments.", ""]
    for title, key, label in (("Threads", "threads", "{} threads"), ("Input sizes", "sizes", "×{}")):
        programs = growth[key]
        steps = list(next(iter(programs.values()))) if programs else []
        rows = [[name, *(f"{show(ratio(by[n], 'record'))} ({show(ratio(by[n], 'replay'))})" for n in steps)]
                for name, by in programs.items()]
        lines += [f"### {title}", ""] + table(["program", *(label.format(n) for n in steps)], rows)
    for title, key, label in (("Accesses to 1024 shared lines, a quarter of them writes", "conflicts", "{}%"),
                              ("Shared lines, 5% of the accesses", "lines", "{}")):
        steps = growth[key]
        rows = [["CPU to native", *(show(ratio(r, "record")) for r in steps.values())],
                ["edges", *(show(r["recordings"].get("record", {}).get("edges"), "{:,}") for r in steps.values())]]
        lines += [f"### {title}", ""] + table(["", *(label.format(n) for n in steps)], rows)
    return lines


def code_part(code):
    code = {name: c for name, c in code.items() if "problem" not in c}
    rows = [[name, show(c["record"]["text"] / c["native"]["text"]), show(c["record"]["cpu"] / c["native"]["cpu"])]
            for name, c in code.items()]
    rows.append(["**geometric mean**", *(show(geometric_mean(c["record"][k] / c["native"][k] for c in code.values()))
                                         for k in ("text", "cpu"))])
    return ["## Code size and compile time", "", "anaphora-c++ to clang++ -O2, object files.", ""] + \
        table(["program", "text", "compile time"], rows)


def real_part(real):
    rows = [[name, *(show(ratio(r, way, field)) for field in ("cpu_min", "wall_min") for way in ("record", "replay")),
             show(ratio(r, "record", "rss_kib")), show(r["recordings"].get("record", {}).get("edges"), "{:,}")]
            for name, r in real.items()]
    note = "Runs of a second or less: starting counts. memcached serves 100,000 requests of memcaslap."
    return ["## Real programs", "", note, ""] + \
        table(["program", "record CPU", "replay CPU", "record wall", "replay wall", "record memory", "edges"], rows)


def goals(data):
    """(what, measured, limit, whether it holds), for what was measured."""
    found = []

    def at_most(what, value, limit, form="{:.2f}"):
        if value is not None:
            found.append((what, form.format(value), f"≤ {limit}", value <= limit))

    def at_least(what, value, limit):
        if value is not None:
            found.append((what, f"{value:.2f}", f"≥ {limit}", value >= limit))
    by_name = {r["program"]: r for r in data.get("kernels", [])}
    chosen = [r for name, r in by_name.items() if name not in HAMMERS]
    mean = {way: geometric_mean(ratio(r, way) for r in chosen) for way in ("tsan", "record", "replay")}
    at_most("record / native", mean["record"], 1.8)
    at_most("worst program", max((ratio(r, "record") or 0 for r in chosen), default=None), 3.5)
    at_least("ThreadSanitizer / record", mean["tsan"] and mean["record"] and mean["tsan"] / mean["record"], 3)
    if data.get("peers"):
        start, results = data["peers"]["start"], data["peers"]["results"]
        of = {way: geometric_mean(ratio(r, way, start=start) for r in results) for way in ("rwtrace-1", "record")}
        both = of["rwtrace-1"] and of["record"]
        at_least("RWTrace (1) / record, small inputs", both and of["rwtrace-1"] / of["record"], 2)
    for name, limit in (("mutex_hammer", 1.3), ("atomic_hammer", 2), ("racy_counter", 6)):
        at_most(f"{HAMMERS[name]}, hammered", by_name.get(name) and ratio(by_name[name], "record"), limit)
    at_most("replay / native", mean["replay"], 1.5)
    counters = [r["recordings"].get("record", {}) for r in chosen]
    dependences = sum(c.get("dependences") or 0 for c in counters)
    if dependences:
        edges = sum(c.get("edges") or 0 for c in counters)
        at_most("edges of dependences, %", 100 * edges / dependences, 0.1, "{:.3f}")
    traced = geometric_mean(per_second(r) for r in chosen)
    at_most("trace KB per second of the native run", traced and traced / 1000, 100, "{:.0f}")
    larger = [r["program"] for r in chosen if (per_second(r) or 0) > 100_000]
    if larger:
        found.append(("programs with more", ", ".join(larger), "", True))
    over = [r["ways"]["record"]["rss_kib"] / 1024 - 1.4 * r["ways"]["native"]["rss_kib"] / 1024
            for r in chosen if {"record", "native"} <= r["ways"].keys()]
    at_most("peak memory beyond 1.4 × native, MiB", max(over, default=None), 64, "{:.0f}")
    if data.get("code"):
        of = {k: geometric_mean(c["record"][k] / c["native"][k] for c in data["code"].values() if "problem" not in c)
              for k in ("text", "cpu")}
        at_most("code size", of["text"], 4)
        at_most("compile time", of["cpu"], 2.5)
    scaling = [r for r in chosen if (ratio(r, "one core", "wall_min") or 0) >= SCALES and "record" in r["ways"]]
    slower = [r["program"] for r in scaling if ratio(r, "record", "wall_min") > ratio(r, "one core", "wall_min")]
    if scaling:
        found.append((f"recorded slower than native on one core, of {len(scaling)} that scale",
                      ", ".join(slower) or "none", "none", not slower))
    return found


def draw(results_dir, data):
    if plot is None:
        return []
    lines = []
    kernels = [r for r in data.get("kernels", []) if r["program"] not in HAMMERS]
    if kernels:
        figure, place = plot.subplots(figsize=(max(7, len(kernels) * 0.55), 2.6))
        ways = ["one core", "tsan", "record", "replay"]
        for i, way in enumerate(ways):
            field = "wall_min" if way == "one core" else "cpu_min"
            place.bar([x + i * 0.2 for x in range(len(kernels))], [ratio(r, way, field) or 0 for r in kernels], 0.2,
                      label=f"{way} (wall)" if way == "one core" else way)
        place.axhline(1, color="k", linewidth=0.5)
        place.set_yscale("log")
        place.set_xticks([x + 0.3 for x in range(len(kernels))], [r["program"] for r in kernels])
        place.set_ylabel("to native")
        place.legend(frameon=False, ncols=4)
        figure.tight_layout()
        figure.savefig(results_dir / "bench-programs.svg", metadata={"Date": None})
        lines += ["![Cost by program](bench-programs.svg)", ""]
    if data.get("growth"):
        growth = data["growth"]
        def points(by):
            return [ratio(r, "record") or math.nan for r in by.values()]
        figure, axes = plot.subplots(1, 4, figsize=(10, 2.6))
        for place, key, label in ((axes[0], "threads", "threads"), (axes[1], "sizes", "size of the input")):
            for name, by in growth[key].items():
                place.plot(list(by), points(by), "-o", markersize=3, label=name)
            place.set_xscale("log", base=2)
            place.set_xlabel(label)
        axes[0].legend(frameon=False)
        for place, key, label in ((axes[2], "conflicts", "% of accesses to shared lines"),
                                  (axes[3], "lines", "shared lines")):
            place.plot(list(growth[key]), points(growth[key]), "k-o", markersize=3)
            place.set_xlabel(label)
        axes[3].set_xscale("log")
        axes[0].set_ylabel("record CPU / native")
        for place in axes:
            place.set_ylim(bottom=0)
        figure.tight_layout()
        figure.savefig(results_dir / "bench-growth.svg", metadata={"Date": None})
        lines += ["![Growth](bench-growth.svg)", ""]
    return lines


def problems_of(data):
    missing = [] if plot else ["pictures: matplotlib is missing"]
    peers = data.get("peers", {})
    every = [*data.get("kernels", []), *peers.get("results", []), *([peers["start"]] if peers else [])]
    every += [{"program": name, **r} for name, r in data.get("real", {}).items()]
    every += [{"program": name, "problems": [c["problem"]]}
              for name, c in data.get("code", {}).items() if "problem" in c]
    for by in data.get("growth", {}).values():
        for entry in by.values():
            every += [entry] if "ways" in entry else entry.values()
    return missing + sorted({f"{r.get('program', 'real')}: {problem}" for r in every for problem in r["problems"]})


def write(results_dir, data):
    """The problems that runs had."""
    m = data["machine"]
    lines = ["# Cost of recording and replaying", "",
             f"{m['processor']}, {m['processors']} processors, {m['memory_mib']} MiB, Linux {m['kernel']}; "
             f"{m['compiler']}, {' '.join(m['flags'])}; commit {m['commit']}, {m['date']}. "
             f"{data['repetitions']} interleaved repetitions, scale {data['scale']}{', quick' if data['quick'] else ''}; "
             f"load of the machine {m['load']:.1f} before, {m['load_after']:.1f} after. Made by `make bench`; the raw figures are in [bench.json](bench.json).", ""]
    if m["load"] > 1:
        lines += ["The machine was not quiet: CPU times are those of threads that shared their processors with others, "
                  "wall times mean little, and threads met less often than they would.", ""]
    rows = [[*goal[:3], "" if goal[3] else "**missed**"] for goal in goals(data)]
    lines += ["## Limits", ""] + table(["", "measured", "limit", ""], rows)
    lines += draw(results_dir, data)
    if data.get("kernels"):
        lines += kernels_part(data["kernels"], data["threads"])
    if data.get("peers"):
        lines += peers_part(data["peers"])
    if data.get("growth"):
        lines += growth_part(data["growth"])
    if data.get("code"):
        lines += code_part(data["code"])
    if data.get("real"):
        lines += real_part(data["real"])
    problems = problems_of(data)
    if problems:
        lines += ["## Problems", ""] + [f"- {problem}" for problem in problems] + [""]
    (results_dir / "bench.md").write_text("\n".join(lines))
    return problems
