"""The results of `lab all` as one document."""
import json
import os
import shlex

import jobs
import kernels
import model
import results

HERE = os.path.dirname(os.path.abspath(__file__))

INTRODUCTION = """# Lab results

Real MPICH 4.0.2 jobs under unmodified Debian kernels on emulated many-node machines.
`lab report` wrote this file from tests/lab/results; a stage with a word to say has a note.
QEMU runs the cpus of a machine in turn, and 7.2 in longer turns than 10.0 (--new-qemu; always
with 5.10 and 6.1), so that jobs whose ranks wait for each other take longer there: seconds can
be held against each other within a stage only.

* *job*: where = ranks that busy-poll, -blocking = work 2 ms and sleep 0.5 ms in turn;
  hybrid = ranks of four threads with OMP_PROC_BIND=true; spawn = two ranks that spawn two
  more; sleepers = no MPI, one parent's children that block at once, -spin = that spin;
  cg, mg = NAS kernels. +busyN = beside loops pinned to cpus 0 to N-1, +two = two such jobs
  at once, +cpuset = in a cpuset without node 0, +nobalance = NUMA balancing off.
* *variant*: plain = mpiexec alone; preload = the shim, ranks held on their nodes; settle =
  held until MPI_Init returns; early = let go before main(), which the lab must catch;
  run = `evenkeel run`; bind-numa = Hydra's own binding; -nowalk = with HWLOC_COMPONENTS=-x86,
  without MPICH 4.0's own walk over the cpus in MPI_Init.
* *uneven*: runs in which, at some moment after main(), a rank was on a node that was
  busier by its capacity, the rank itself not counted, than another; beside busy loops:
  in which the ranks were not as `evenkeel plan --busy` says. *worst ...*: the
  largest difference between two nodes' ranks at main() (sleepers: at their first instant;
  NAS: when all ranks were first seen), when MPI_Init returned (woken; half-way), and at the
  end.
* *cpus*: how many different cpus the ranks (hybrid: their threads) were on at the end, of
  so many ranks, in the worst run.
* *moved*: how often a rank was on another node than at the look before, of so many looks, from
  when MPI is up; NAS: from when the rank began, so that MPICH's walk over the cpus is in it.
* *remote*: pages on another node than their rank, at the end. *delay*: milliseconds that
  the ranks waited for a cpu. *seconds*: of guest time, the whole launch; NAS: the timed part.
* Each launch follows a seeded pause of 0 to 20 ms; the runs of a case are spread over the
  boots. p: Fisher's exact test, two-sided, for at least three boots: runs in one boot
  resemble each other too much to be counted as independent.
"""


def stages():
    """(name, words of its options) of each line of the file stages."""
    with open(os.path.join(HERE, "stages")) as f:
        for line in f:
            words = shlex.split(line, comments=True)
            if words:
                yield words[0], words[1:]


class Boot:
    """A boot as the file of results has it, for the model."""

    def __init__(self, record, runs):
        self.number, self.machine = record["boot"], record["machine"]
        self.runs = [r for r in runs if r.boot == self.number]


def table_of_compare(runs):
    """What evenkeel compare printed in the guest, but for its records."""
    return [x for r in runs if r.name == "compare" for x in
            # Without the progress that it draws on a terminal.
            ["```"] + [line.split("\x1b[K")[-1] for line in r.said] + ["```", ""]]


def section(name, words, data, build):
    runs = [results.Run.from_record(r) for r in data["runs"]]
    boots = [Boot(b, runs) for b in data["boots"]]
    runs.sort(key=lambda r: (r.job, r.ranks, results.variant_key(r.variant)))
    lines = ["## " + name, "", "`lab " + shlex.join(words) + "`: %d runs, %d boot%s." % (
        len(runs), len(boots), "s" if len(boots) > 1 else "")]
    lines += ["", data["note"]] if "note" in data else []
    lines += ["", results.markdown(results.table(runs)), ""]
    lines += table_of_compare(runs)
    lines += ["* " + line for line in results.versus_plain(runs)]
    lines += ["", "Ranks per node of each run when MPI_Init returned (NAS: half-way), and at "
              "the end:", "", "```"] + results.distributions(runs) + ["```"]
    said = model.agreement(boots, build)
    if said:
        lines += ["", "The kernel's rule against the kernel, child by child; L = on the parent's "
                  "node, a dot = left out:", "", "```"] + said + ["```"]
    faults = ["* **boot %d %s %d %s: %s**" % (r.boot, r.job, r.ranks, r.variant,
                                              "; ".join(r.faults()))
              for r in runs if r.faults()]
    for r in runs:
        r.stage = name
    return "\n".join(lines + faults) + "\n", runs


# The columns of the first table: heading, variants, moments at which unevenness counts.
IN_SHORT = (
    ("plain", ("plain",), None),
    ("plain-nowalk", ("plain-nowalk",), None),
    ("bind-numa", ("bind-numa",), None),
    ("held", jobs.HELD, None),
    ("settled, at MPI_Init", jobs.SETTLED, ("MPI_Init",)),
    ("settled, later", jobs.SETTLED, None),
)


def count_uneven(runs, at):
    return sum(bool([n for n in r.uneven_at() if not at or n in at]) for r in runs)


def in_short(runs):
    """How many runs of where were uneven, kernel by kernel and machine by machine."""
    rows = [["kernel", "shape"] + [c[0] for c in IN_SHORT] + ["p, settled against plain"]]
    where = [r for r in runs if r.job == "where" and r.ok()]
    for release, shape in sorted({(r.release, r.shape.name) for r in where},
                                 key=lambda c: (kernels.version_key(c[0]), c[1])):
        of = [r for r in where if (r.release, r.shape.name) == (release, shape)]
        row = [release, shape]
        for _, variants, at in IN_SHORT:
            these = [r for r in of if r.variant in variants]
            row.append("%d of %d" % (count_uneven(these, at), len(these)) if these else "-")
        plain = [r for r in of if r.base == "plain"]
        settled = [r for r in of if r.base in jobs.SETTLED]
        independent = all(len({(r.stage, r.boot) for r in some}) >= results.BOOTS_MIN
                          for some in (plain, settled))
        row.append("%.1g" % results.fisher(count_uneven(settled, None), len(settled),
                                           count_uneven(plain, None), len(plain))
                   if independent else "-")
        rows.append(row)
    return ["## In short", "", "Runs of `where` that were uneven at some moment from MPI_Init's "
            "return on, of all ranks and stages below.", "", results.markdown(rows), ""]


def document(folder, build):
    parts, missing, every = [], [], []
    for name, words in stages():
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                text, runs = section(name, words, json.load(f), build)
            parts.append(text)
            every += runs
        else:
            missing.append("* %s: `lab %s`" % (name, shlex.join(words)))
    parts.insert(0, "\n".join([INTRODUCTION] + in_short(every)))
    if missing:
        parts.append("## Not run yet\n\n" + "\n".join(missing))
    return "\n".join(parts).rstrip()
