"""What the tables say: a few paragraphs for each page.

Their numbers come from the tables; what is said besides is about how things are made here and in the papers, and does
not depend on a run."""

import statistics


def paragraphs(text):
    """Markdown paragraphs, whatever the lines are broken like here."""
    return [" ".join(part.split()) for part in text.strip().split("\n\n")]


def ratio(value):
    return "-" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def means(factors):
    return {name: statistics.geometric_mean(found) for name, found in factors.items() if found}


def netzer(shares, growth, excess, aggregates, checks):
    """`shares`: (published, ours) of each cell of Table 1; `growth`: our shares of each program by threads; `excess`:
    our references / published ones by threads; `aggregates`: (exact, aggregate) reports; `checks`: percent of
    references that need a race check."""
    published, ours = zip(*shares)
    smaller = sum(b < a for a, b in shares)
    grows = sum(found[-1] > found[0] for found in growth)
    excess_of = {threads: ratio(statistics.median(found)) for threads, found in excess.items()}
    most = {threads: ratio(max(found)) for threads, found in excess.items()}
    less_space = sum(b["history_bytes"] < a["history_bytes"] for a, b in aggregates)
    more_traces = sum(b["traced"] > a["traced"] for a, b in aggregates)
    return paragraphs(f"""
        **A small share of the references is enough**: in the median cell of Table 1 (without the marked ones) {100 *
        statistics.median(published):.2g} % in print and {100 * statistics.median(ours):.2g} % here. From 2 to 16
        threads it grows in {grows} of {len(growth)} programs; in print it does in all.

        **Our shares are smaller** in {smaller} of {len(shares)} cells. The programs are new ones that do what the
        papers say of the old, so single rows can be compared in their kind only. Two things work towards smaller
        shares: on few processors a thread runs long stretches by itself, where the Sequent had a processor for each;
        and a compiler of today keeps in registers what was read from memory again and again in 1993, so that it takes
        more work to come to the paper's number of references.

        **Waiting makes references**, too: threads of these programs wait for each other by looking at memory. With 2,
        4 and 16 threads they make {excess_of[2]}, {excess_of[4]} and {excess_of[16]} times the published number of
        references (medians; the largest are {most[2]}, {most[4]} and {most[16]}). The more threads there are for a
        processor, the longer they wait, and the smaller the share that is traced becomes.

        **Aggregates** of 16 bytes make histories smaller in {less_space} of {len(aggregates)} programs; in print they
        do in all. They make traces larger in {more_traces} of {len(aggregates)}, in print in 5 of 12: most of our
        data are numbers of 8 bytes in arrays whose elements are dealt out to the threads, so that two that share 16
        bytes are often of different threads.

        **Race checks.** {min(checks):.1f} to {max(checks):.0f} % of the references (median
        {statistics.median(checks):.1f} %) come after one of another thread, and would need a check; the paper says
        usually 2 to 20 %.

        **Space** is that of the granules that were accessed and of what they refer to. A history takes 32 bytes here,
        with a pointer to a vector that events share; the paper does not say what is in its histories.""")


def short_skips(reports, name):
    """Percent of the Lamport clock's skips that are below 128."""
    skips = [skip for report in reports for skip in report["algorithms"][name]["clock_skips"]]
    total = sum(skip["count"] for skip in skips)
    return 100 * sum(skip["count"] for skip in skips if skip["to"] < 128) / total if total else 0


def stradal(compressed, optimal, reports, factors, published):
    """`compressed`, `optimal`: what (vector, non-critical, Lamport) traced in each row; `factors`: times slower, by
    way; `published`: their means in print."""
    rows = compressed + optimal
    lamport = sum(r[2] <= r[0] for r in rows)
    non_critical = sum(r[1] <= r[0] for r in rows)
    fewer = sum(o[0] <= c[0] for o, c in zip(optimal, compressed, strict=True))
    slower = ", ".join(f"{name} {ratio(mean)}" + (f" (published {ratio(published[name])})" if name in published else "")
                       for name, mean in means(factors).items())
    return paragraphs(f"""
        **Trace sizes.** Lamport clocks trace no more than vectors in {lamport} of {len(rows)} rows of Tables 1 and 2,
        non-critical edges in {non_critical}. The optimal history traces no more than the compressed one in {fewer} of
        {len(optimal)} rows (vectors): it need not order the reads of several threads, which the compressed one cannot
        tell from writes. The thesis finds the same but for qs and sort.

        **Skips of the Lamport clock** shorter than 128: {short_skips(reports, 'compressed-lamport'):.0f} % with the
        compressed history, {short_skips(reports, 'optimal-lamport'):.0f} % with the optimal one.

        **The order of reads.** A recording with ownership does not have the order of two reads, since replay need not
        repeat it; a full trace of it has one of the possible orders. So the numbers of the compressed algorithms
        differ somewhat between two traces of one recording, where that of the optimal vector algorithm is always the
        same.

        **Times slower**, as geometric means of the rows: {slower}. A reference was a transaction on a bus
        then; now it is a fraction of a nanosecond of optimised code, while a call, a lock and a history for each of
        them cost what they cost. Programs whose inner loops do little besides (gauss, mesh, mtxmult) show it most.
        The default recorder, which sees a line only when it changes hands, does not pay for single references.""")


def jiang(local, factors, dependences):
    """`local`: percent of reads that are thread-local, by program; the others by way."""
    sums = ", ".join(f"{way} {sum(found)}" for way, found in dependences.items() if found)
    slower = ", ".join(f"{way} {ratio(mean)}" for way, mean in means(factors).items())
    return paragraphs(f"""
        **Thread-local reads** are {min(local):.0f} to {max(local):.0f} % of all reads here. In print they are above
        99 % of these programs' reads: the paper's inputs are larger, and a datum is read more often between two
        writes of others. The same holds for Octet's transitions.

        **Dependences** of all programs together: {sums}. rwtrace-1 and crew-lock trace the same kinds and differ only
        as runs do; rwtrace-2 adds those of writes after reads; mutex-lock has those between reads as well, but of
        several readers only the last.

        **Times slower**, as geometric means of CPU time: {slower}. In print rwtrace-1 takes less than three times the
        native time of these programs, mutex-lock up to two hundred times. Two things are other here whatever the
        algorithm: with 16 threads on a few processors the one that holds a lock is often not running; and an access
        is bracketed by two calls, where RWTrace's fast path is inlined.""")
