"""Runs, judged and counted."""
import collections
import json
import math
import statistics

import boot
import jobs


def uneven(counts, capacity):
    """Some rank would not go where it is if it came last to the node with the most room,
    as the plan counts: the least busy by capacity before it comes. With nodes of equal
    capacity: two nodes differ by more than one."""
    nodes = len(capacity)
    counts = list(counts) + [0] * (nodes - len(counts))
    if any(c and not cap for c, cap in zip(counts, capacity)):
        return True
    usable = [n for n in range(nodes) if capacity[n]]
    return any(counts[i] and (counts[i] - 1) * capacity[j] > counts[j] * capacity[i]
               for i in usable for j in usable if i != j)


def difference(counts, capacity):
    """Largest less smallest count over the nodes that may have ranks."""
    counts = counts + [0] * (len(capacity) - len(counts))
    usable = [c for c, cap in zip(counts, capacity) if cap]
    return max(usable) - min(usable)


def add_up(reports_moments):
    """Moments of several jobs at once, summed by name."""
    total = {}
    for moments in reports_moments:
        for name, counts in moments:
            old = total.setdefault(name, [])
            old += [0] * (len(counts) - len(old))
            for n, c in enumerate(counts):
                old[n] += c
    return list(total.items())


class Run:
    """One launch: what was asked and what came of it."""

    def __init__(self, job, ranks, variant, pause_us, shape):
        self.job, self.ranks, self.variant, self.pause_us = job, ranks, variant, pause_us
        self.shape = shape
        self.name, beside = jobs.parts(job)
        self.mpi = jobs.is_mpi(job)
        self.base = jobs.base(variant) if self.mpi else variant
        # compare prints what the host is, and each run of its two variants and a warm-up.
        self.launches = (1 + 2 * (jobs.COMPARE_RUNS + 1) if self.name == "compare" else
                         2 if "two" in beside else 1)
        self.busy = jobs.busy(job)  # cpus of each node that loops keep busy
        self.usable = set(range(shape.cpus)) - set(shape.isolated())
        if "cpuset" in beside:
            self.usable &= set(shape.nodes[-1]["cpus"])
        self.capacity = [len(self.usable & set(n["cpus"])) for n in shape.nodes]
        self.planned = None     # beside busy loops: what evenkeel plan says of them
        self.boot = self.release = None
        self.rc = None          # of mpiexec; None = it never ended
        self.lines = []         # what it printed
        self.said = []          # of that, what evenkeel compare says to its user
        self.reports = []
        self.moments = []
        self.guest_seconds = 0.0

    def end(self, rc, guest_seconds):
        self.rc, self.guest_seconds = rc, guest_seconds
        self.reports = jobs.reports(self.lines)
        if self.name == "compare":
            self.said = [x for x in self.lines if not x.startswith("{")]
        self.moments = add_up(jobs.moments(r, self.lines, self.ranks) for r in self.reports)

    def ok(self):
        return self.rc == 0 and len(self.reports) == self.launches

    def is_uneven(self, counts):
        if self.planned:
            return list(counts) + [0] * (len(self.planned) - len(counts)) != self.planned
        return uneven(counts, self.capacity)

    def differences(self):
        return [(name, difference(c, self.capacity)) for name, c in self.moments]

    def uneven_at(self):
        """The moments at which it is uneven. main() is not among them: what counts
        is where ranks are when MPI is up and they work."""
        return [n for n, c in self.moments if n != "main" and self.is_uneven(c)]

    def moves(self):
        found = [jobs.moves(r, self.lines) for r in self.reports]
        return sum(m for m, _ in found), sum(n for _, n in found)

    def cpus(self):
        return [c for r in self.reports for c in jobs.cpus(r)]

    def delay_ms(self):
        return jobs.delay_ms(self.lines)

    def faults(self):
        """What a held or settled run must never show, as texts; [] = as wanted."""
        if self.base == "bind-numa" and self.rc is not None:
            return []  # Hydra's own, for comparison; in a cpuset it fails the job
        if not self.ok():
            return ["no end" if self.rc is None else
                    "exit %d, %d of %d reports" % (self.rc, len(self.reports), self.launches)]
        if self.name == "compare":
            return self.compare_faults()
        if self.base not in jobs.HELD + jobs.SETTLED:
            return []
        held = self.base in jobs.HELD
        faults = ["%s at %s" % ("/".join(map(str, c)), n) for n, c in self.moments
                  if (held or n in ("main", "MPI_Init")) and self.is_uneven(c)]
        return faults + self.mask_faults(held) + self.sharing_faults()

    def compare_faults(self):
        """Its columns of placement must show what the lab is for."""
        at = self.uneven_at()
        return ["evenkeel's run: %s" % n for n in at if n.startswith("evenkeel")] + (
            [] if any(n.startswith("plain") for n in at) else ["no plain run was uneven"])

    def sharing_faults(self):
        """Two jobs at once, pinned threads, and ranks that were spawned have a cpu each;
        and a rank's threads are on one node."""
        faults = ["rank %d has threads on nodes %s" % (i, t["nodes"])
                  for r in self.reports for i, t in enumerate(r.get("threads", []))
                  if len(set(t["nodes"])) > 1]
        if self.launches > 1 or self.name in ("hybrid", "spawn"):
            cpus = self.cpus()
            if len(set(cpus)) < len(cpus):
                faults.append("cpus are shared: %s" % sorted(cpus))
        return faults

    def mask_faults(self, held):
        """A placed rank has a part of the cpus at main(), and after MPI_Init the same
        or, settled, all. With room on one node only there is nothing to place."""
        if sum(bool(c) for c in self.capacity) < 2:
            return []
        faults = []
        for r in (r for report in self.reports for r in report.get("rank", [])):
            main, init = (set(boot.cpu_list(r["mask_" + m])) for m in ("main", "init"))
            if not main < self.usable:
                faults.append("rank %d has mask %s at main" % (r["rank"], r["mask_main"]))
            if init != (main if held else self.usable):
                faults.append("rank %d has mask %s after MPI_Init" % (r["rank"],
                                                                      r["mask_init"]))
        return faults

    def record(self):
        return {
            "kernel": self.release, "shape": self.shape.name, "boot": self.boot,
            "job": self.job, "ranks": self.ranks, "variant": self.variant,
            "pause_us": self.pause_us, "planned": self.planned, "exit": self.rc,
            "guest_seconds": round(self.guest_seconds, 3),
            "moments": [{"at": n, "ranks_per_node": c} for n, c in self.moments],
            "uneven_at": self.uneven_at(), "faults": self.faults(), "moves": self.moves(),
            "said": self.said, "reports": self.reports, "samples": jobs.samples(self.lines),
        }

    @classmethod
    def from_record(cls, record):
        """The run that record() wrote."""
        r = cls(record["job"], record["ranks"], record["variant"], record["pause_us"],
                boot.Shape(record["shape"]))
        r.boot, r.release, r.rc = record["boot"], record["kernel"], record["exit"]
        r.guest_seconds, r.reports = record["guest_seconds"], record["reports"]
        r.planned = record.get("planned")
        r.said = record.get("said", [])
        r.lines = ["@sampler " + json.dumps(record["samples"])]
        r.moments = [(m["at"], m["ranks_per_node"]) for m in record["moments"]]
        return r


def fisher(bad1, n1, bad2, n2):
    """Fisher's exact test, two-sided: the chance of a table at most as likely as this
    one, were both rates the same."""
    total, bad = n1 + n2, bad1 + bad2

    def chance(k):
        return math.comb(n1, k) * math.comb(n2, bad - k) / math.comb(total, bad)

    here = chance(bad1)
    return min(1.0, sum(chance(k) for k in range(max(0, bad - n2), min(n1, bad) + 1)
                        if chance(k) <= here * (1 + 1e-9)))


BOOTS_MIN = 3  # before runs are counted as independent


def versus_plain(runs):
    """Lines that hold each variant of a job against plain by Fisher's exact test."""
    def count(job, name):
        of = [r for r in runs if r.ok() and r.base == name and r.job == job]
        return sum(bool(r.uneven_at()) for r in of), len(of)

    out = []
    # Runs of one boot are near-copies of each other.
    independent = len({r.boot for r in runs if r.ok()}) >= BOOTS_MIN
    for job in sorted({r.job for r in runs if r.mpi}):
        plain = count(job, "plain")
        names = sorted({r.base for r in runs if r.job == job} - {"plain"})
        out += ["%s: %s uneven %d of %d, plain %d of %d%s" %
                ((job, name) + count(job, name) + plain +
                 (": p = %.2g" % fisher(*count(job, name), *plain) if independent else "",))
                for name in names if plain[1]]
    return out


def variant_key(variant):
    """Orders variants as jobs.VARIANTS does, each before its -nowalk."""
    names = list(jobs.VARIANTS)
    return [names.index(jobs.base(variant)) if variant != "-" else -1, variant]


def distributions(runs):
    """Lines: the ranks per node of each plain run, when MPI_Init returned and at the
    end; of others those that are not alike."""
    out, groups = [], {}
    for r in runs:
        if r.ok() and r.mpi and r.moments:
            groups.setdefault((r.job, r.ranks, r.variant), []).append(r)
    for (job, ranks, variant), group in groups.items():
        said = []
        for r in group:
            at = dict(r.moments)
            init = next((at[n] for n in INIT if n in at), None)
            said.append(">".join("/".join(map(str, c)) for c in (init, r.moments[-1][1]) if c))
        counted = collections.Counter(said)
        out.append("%s %d %s: %s" % (job, ranks, variant, ", ".join(
            "%s%s" % (text, " x%d" % n if n > 1 else "") for text, n in sorted(counted.items()))))
    return out


COLUMNS = ("kernel", "shape", "job", "ranks", "variant", "runs", "uneven", "worst first",
           "init", "end", "cpus", "moved", "remote", "delay ms", "seconds")
# What a job calls the moments of the columns "worst first" and "init".
FIRST = ("main", "first", "start")
INIT = ("MPI_Init", "woken", "half")


def worst(runs, names):
    found = [d for r in runs for n, d in r.differences() if n in names]
    return str(max(found)) if found else "-"


def fewest_cpus(runs):
    """Of the ranks or threads of a run: how many had a cpu to themselves or first, at
    worst."""
    found = [(len(set(r.cpus())), len(r.cpus())) for r in runs if r.cpus()]
    return "%d of %d" % min(found) if found else "-"


def row(case, runs):
    done = [r for r in runs if r.ok()]
    remote = [r.reports[0]["remote_share"] for r in done
              if r.reports[0].get("remote_share") is not None]
    seconds = [r.reports[0].get("seconds", r.guest_seconds) for r in done]
    moved = [r.moves() for r in done]
    delays = [d for d in (r.delay_ms() for r in done) if d is not None]
    return case + (
        "%d" % len(done) + (" of %d" % len(runs) if len(done) < len(runs) else ""),
        str(sum(bool(r.uneven_at()) for r in done)),
        worst(done, FIRST), worst(done, INIT),
        worst(done, {r.moments[-1][0] for r in done if r.moments}),
        fewest_cpus(done),
        "%d of %d" % (sum(m for m, _ in moved), sum(n for _, n in moved)),
        "%.0f-%.0f %%" % (min(remote) * 100, max(remote) * 100) if remote else "-",
        "%.0f" % statistics.median(delays) if delays else "-",
        "%.2f" % statistics.median(seconds) if seconds else "-")


def table(runs):
    """Rows of text, the first being the head."""
    cases = {}
    for r in runs:
        case = (r.release or "?", r.shape.name, r.job, str(r.ranks), r.variant)
        cases.setdefault(case, []).append(r)
    return [COLUMNS] + [row(c, cases[c]) for c in cases]


def text(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows)


def markdown(rows):
    lines = ["| " + " | ".join(r) + " |" for r in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0])] + lines[1:])
