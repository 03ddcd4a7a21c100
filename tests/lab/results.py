"""Runs, judged and counted."""
import math

import jobs


def uneven(counts, capacity):
    """Some node is one rank or more away from its fair share (for nodes of equal
    capacity: two nodes differ by more than one)."""
    counts = counts + [0] * (len(capacity) - len(counts))
    total, room = sum(counts), sum(capacity)
    return any(abs(c - total * cap / room) >= 1 - 1e-9 for c, cap in zip(counts, capacity))


def difference(counts, capacity):
    """Largest less smallest count over the nodes that may have ranks."""
    counts = counts + [0] * (len(capacity) - len(counts))
    usable = [c for c, cap in zip(counts, capacity) if cap]
    return max(usable) - min(usable)


class Run:
    """One launch: what was asked and what came of it."""

    def __init__(self, job, ranks, variant, pause_us):
        self.job, self.ranks, self.variant, self.pause_us = job, ranks, variant, pause_us
        self.boot = self.release = self.shape = None
        self.rc = None          # of mpiexec; None = it never ended
        self.lines = []         # what it printed
        self.report = None
        self.moments = []
        self.guest_seconds = 0.0

    def end(self, rc, guest_seconds):
        self.rc, self.guest_seconds = rc, guest_seconds
        self.report = jobs.report(self.lines)
        if self.report:
            self.moments = jobs.moments(self.report)

    def ok(self):
        return self.rc == 0 and self.report is not None

    def at(self, name):
        return dict(self.moments).get(name)

    def differences(self, capacity):
        return [(name, difference(c, capacity)) for name, c in self.moments]

    def uneven_at(self, capacity):
        """The moments at which it is uneven. main() is not among them: what counts
        is where ranks are when MPI is up and they work."""
        return [n for n, c in self.moments if n != "main" and uneven(c, capacity)]

    def faults(self, shape):
        """What a held or settled run must never show, as texts; [] = as wanted."""
        base = jobs.base(self.variant)
        if not self.ok():
            return ["%s" % ("no end" if self.rc is None else "exit %d" % self.rc)]
        if not jobs.is_mpi(self.job) or base not in jobs.HELD + jobs.SETTLED:
            return []
        held = base in jobs.HELD
        faults = ["%s at %s" % ("/".join(map(str, c)), n) for n, c in self.moments
                  if (held or n in ("main", "MPI_Init")) and uneven(c, shape.capacity())]
        return faults + (self.mask_faults(shape, held) if base != "bind-numa" else [])

    def mask_faults(self, shape, held):
        import boot
        usable = sorted(set(range(shape.cpus)) - set(shape.isolated()))
        faults = []
        for r in self.report.get("rank", []):
            main, init = (boot.cpu_list(r["mask_" + m]) for m in ("main", "init"))
            if not set(main) < set(usable):
                faults.append("rank %d has mask %s at main" % (r["rank"], r["mask_main"]))
            if init != (main if held else usable):
                faults.append("rank %d has mask %s after MPI_Init" % (r["rank"],
                                                                      r["mask_init"]))
        return faults

    def record(self, shape):
        return {
            "kernel": self.release, "shape": shape.name, "boot": self.boot, "job": self.job,
            "ranks": self.ranks, "variant": self.variant, "pause_us": self.pause_us,
            "exit": self.rc, "guest_seconds": round(self.guest_seconds, 3),
            "moments": [{"at": n, "ranks_per_node": c} for n, c in self.moments],
            "uneven_at": self.uneven_at(shape.capacity()), "faults": self.faults(shape),
            "report": self.report,
        }


def fisher(bad1, n1, bad2, n2):
    """Fisher's exact test, two-sided: the chance of a table at most as likely as this
    one, were both rates the same."""
    total, bad = n1 + n2, bad1 + bad2

    def chance(k):
        return math.comb(n1, k) * math.comb(n2, bad - k) / math.comb(total, bad)

    here = chance(bad1)
    return min(1.0, sum(chance(k) for k in range(max(0, bad - n2), min(n1, bad) + 1)
                        if chance(k) <= here * (1 + 1e-9)))


COLUMNS = ("kernel", "shape", "job", "ranks", "variant", "runs", "uneven", "worst main",
           "init", "end", "remote", "guest s")


def row(case, runs, shape):
    capacity = shape.capacity()
    done = [r for r in runs if r.ok()]

    def worst(name):
        found = [d for r in done for n, d in r.differences(capacity) if n == name]
        return str(max(found)) if found else "-"

    last = [r.moments[-1][0] for r in done]
    remote = [r.report["remote_share"] for r in done
              if r.report.get("remote_share") is not None]
    seconds = sorted(r.report.get("seconds", r.guest_seconds) for r in done)
    return case + (
        "%d" % len(done) + (" of %d" % len(runs) if len(done) < len(runs) else ""),
        str(sum(bool(r.uneven_at(capacity)) for r in done)),
        worst("main" if jobs.is_mpi(case[2]) else "first"),
        worst("MPI_Init" if jobs.is_mpi(case[2]) else "woken"),
        worst(last[0]) if last else "-",
        "%.0f-%.0f %%" % (min(remote) * 100, max(remote) * 100) if remote else "-",
        "%.2f" % seconds[len(seconds) // 2] if seconds else "-")


def table(runs, shapes):
    """Rows of text, the first being the head."""
    cases = {}
    for r in runs:
        case = (r.release or "?", r.shape, r.job, str(r.ranks), r.variant)
        cases.setdefault(case, []).append(r)
    return [COLUMNS] + [row(c, cases[c], shapes[c[1]]) for c in cases]


def text(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows)


def markdown(rows):
    lines = ["| " + " | ".join(r) + " |" for r in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0])] + lines[1:])
