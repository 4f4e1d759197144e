"""The papers' tables with our numbers beside the published ones, as Markdown. Each page ends with a reading."""

import statistics

import papers
import readings
from readings import ratio

ADAPTIVE = ("vector", "non-critical", "lamport")


class Page:
    def __init__(self, title, introduction):
        self.lines = [f"# {title}", "", *introduction, ""]

    def table(self, title, head, rows):
        self.lines += [f"## {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        self.lines += ["| " + " | ".join(row) + " |" for row in rows] + [""]

    def text(self, *paragraphs):
        for paragraph in paragraphs:
            self.lines += [paragraph, ""]

    def write(self, path):
        path.write_text("\n".join(self.lines).rstrip() + "\n")


def percent(part, whole):
    return "-" if not whole else f"{100 * part / whole:.2g}%" if part < whole else f"{100 * part / whole:.0f}%"


def cell(traced, references):
    return f"{traced} ({percent(traced, references)})"


def machine(data):
    return [f"Ours: {data.machine}; {data.conditions}. Published numbers are as printed; `?` marks cells whose digits "
            "do not fit together (`bench/papers.py` has notes). `make tables` makes this page."]


def netzer_page(data):
    page = Page("Netzer 1993: optimal tracing", machine(data))
    compared, growth, excess, rows = [], [], {2: [], 4: [], 16: []}, []
    for row in papers.NETZER_1.rows():
        cells = [row["program"]]
        growth.append([])
        for threads in (2, 4, 16):
            published = row[str(threads)]
            ours = data.traces(row["program"], threads)
            vector = ours["algorithms"]["optimal-vector"]
            cells += [published, f"{vector['traced']} / {vector['references']} "
                                 f"({percent(vector['traced'], vector['references'])})"]
            growth[-1].append(vector["traced"] / vector["references"])
            traced, references, _ = papers.traced(published)
            if not published.endswith("?"):
                compared.append((traced / references, vector["traced"] / vector["references"]))
                excess[threads].append(vector["references"] / references)
        rows.append(cells)
    page.table("Table 1: exact access histories, traces / references (% of references traced)",
               ["program"] + [f"{who}, {n} threads" for n in (2, 4, 16) for who in ("published", "ours")], rows)
    rows, aggregates, checks = [], [], []
    for row in papers.NETZER_2.rows():
        ours = data.traces(row["program"], 2)
        exact, aggregate = ours["algorithms"]["optimal-vector"], ours["aggregate"]
        rows.append([row["program"], row["references"], str(exact["references"]),
                     row["exact traces"], cell(exact["traced"], exact["references"]),
                     row["exact history bytes"], str(exact["history_bytes"]),
                     row["aggregate traces"], cell(aggregate["traced"], aggregate["references"]),
                     row["aggregate history bytes"], str(aggregate["history_bytes"])])
        aggregates.append((exact, aggregate))
        checks.append(100 * ours["accesses"]["race_checks"] / ours["references"])
    columns = ("references", "exact traces", "exact history bytes", "16-byte traces", "16-byte history bytes")
    page.table("Table 2: aggregates of 16 bytes, 2 threads",
               ["program"] + [f"{what}, {who}" for what in columns for who in ("published", "ours")], rows)
    page.text("## Reading", *readings.netzer(compared, growth, excess, aggregates, checks))
    return page


def stradal_traces(page, data, table, number, history):
    rows, orders = [], []
    for row in table.rows():
        name, threads = papers.program_of(f"stradal-{number}", row)
        ours = data.traces(name, threads)
        cells = [row["program"], row["references"], str(ours["references"])]
        counts = []
        for clock in ADAPTIVE:
            algorithm = ours["algorithms"][f"{history}-{clock}"]
            counts.append(algorithm["traced"])
            cells += [row[f"{history}-{clock}"], cell(algorithm["traced"], ours["references"])]
        rows.append(cells)
        orders.append(counts)
    page.table(f"Table {number}: trace sizes of the {history} algorithms",
               ["program", "references, published", "references, ours"]
               + [f"{clock}, {who}" for clock in ADAPTIVE for who in ("published", "ours")], rows)
    return orders


def stradal_times(page, data):
    columns = ("trace-all", "optimal-vector", "optimal-lamport", "compressed-vector", "compressed-lamport")
    rows, factors = [], {name: [] for name in columns + ("default",)}
    for row in papers.STRADAL_3.rows():
        name, threads = papers.program_of("stradal-3", row)
        overheads = data.overheads(name, threads)
        cells = [row["program"], f"{overheads['seconds']:.3f}"]
        for column in columns:
            cells += [row[column], ratio(overheads[column])]
            factors[column].append(overheads[column])
        factors["default"].append(overheads["default"])
        rows.append(cells + [ratio(overheads["default"])])
    both = [f"{column}, {who}" for column in columns for who in ("published", "ours")]
    page.table("Table 3: times slower, in CPU time",
               ["program", "native seconds, ours", *both, "default recorder, ours"], rows)
    return {name: [f for f in found if f is not None] for name, found in factors.items()}


def stradal_page(data):
    page = Page("Stradal 1994: six adaptive algorithms", machine(data))
    compressed = stradal_traces(page, data, papers.STRADAL_1, 1, "compressed")
    optimal = stradal_traces(page, data, papers.STRADAL_2, 2, "optimal")
    factors = stradal_times(page, data)
    reports = [data.traces(*papers.program_of("stradal-2", row)) for row in papers.STRADAL_2.rows()]
    timed = papers.STRADAL_3
    published = {name: statistics.geometric_mean(float(row[name]) for row in timed.rows())
                 for name in timed.columns[2:]}
    page.text("## Reading", *readings.stradal(compressed, optimal, reports, factors, published))
    return page


def jiang_page(data, figure):
    page = Page("Jiang et al. 2015: RWTrace", machine(data))
    ways = ("rwtrace-1", "rwtrace-2", "mutex-lock", "crew-lock")
    rows, local, factors, dependences = [], [], {way: [] for way in ways}, {way: [] for way in ways}
    for row in papers.JIANG_2.rows():
        name, threads = papers.program_of("jiang-2", row)
        cells = [row["program"], row["thread-local of reads"], "", row["thread-local of all"], "", row["seconds"], ""]
        for way in ways:
            cells += [row[f"{way} seconds"], "", row[f"{way} dependences"], ""]
        octet = [row[f"octet {kind} %"] for kind in ("same", "upgrade", "conflict")]
        cells += [octet[0], "", octet[1], "", octet[2], ""]
        if name:
            fill_jiang(cells, data, name, threads, ways, factors, dependences)
            rwtrace = data.traces(name, threads)["chunks"]["rwtrace-1"]
            local.append(100 * rwtrace["local_reads"] / rwtrace["reads"])
        rows.append(cells)
    columns = ["thread-local of reads", "thread-local of all", "native s"]
    for way in ways:
        columns += [f"{way} s", f"{way} dependences"]
    columns += ["octet same %", "octet upgrade %", "octet conflict %"]
    page.table("Table II: 16 threads", ["program"] + [f"{column}, {who}" for column in columns
                                                      for who in ("published", "ours")], rows)
    page.text("Seconds are CPU seconds here and elapsed ones in print. As in print, addresses are told apart by 64 "
              "bytes. Shares are of the inputs with some millions of references, seconds and dependences of those for "
              "times. Programs without numbers of ours are desktop and server programs that have no counterpart here.")
    page.text("## Scalability", f"![time against threads]({figure})",
              f"Elapsed time relative to one thread; {data.machine}. The paper's text has no numbers for its Figure 3. "
              "With more threads than processors no line can fall further.")
    page.text("## Reading", *readings.jiang(local, factors, dependences))
    return page


def fill_jiang(cells, data, name, threads, ways, factors, dependences):
    ours, times = data.traces(name, threads), data.jiang_times(name, threads)
    rwtrace = ours["chunks"]["rwtrace-1"]
    cells[2] = percent(rwtrace["local_reads"], rwtrace["reads"])
    cells[4] = percent(rwtrace["local_reads"], ours["references"])
    cells[6] = f"{times['native']['cpu']:.3f}"
    for i, way in enumerate(ways):
        found = times[way]
        cells[8 + 4 * i] = f"{found['cpu']:.2f}" if found else "-"
        cells[10 + 4 * i] = str(found["edges"]) if found else "-"
        if found:
            factors[way].append(found["cpu"] / times["native"]["cpu"])
            dependences[way].append(found["edges"])
    moves = ours["chunks"]["octet"]["transitions"]
    parts = (moves["same"] + moves["alloc"], moves["upgrade"] + moves["fence"], moves["conflict"])
    for at, part in zip((-5, -3, -1), parts, strict=True):
        cells[at] = percent(part, ours["references"]).rstrip("%")
