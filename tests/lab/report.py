"""The results of `lab all` as one document."""
import json
import os

import model
import results

HERE = os.path.dirname(os.path.abspath(__file__))

INTRODUCTION = """# Lab results

Real MPICH 4.0.2 jobs under unmodified Debian kernels on emulated many-node machines,
as `make lab` ran them and wrote this file (tests/lab; nothing here is edited by hand).

* *variant*: plain = mpiexec alone; preload = the shim, ranks held on their nodes; settle =
  held until MPI_Init returns; early = let go before main(), which the lab must catch; run = `evenkeel run`; bind-numa = Hydra's own binding;
  -nowalk = with HWLOC_COMPONENTS=-x86, without MPICH 4.0's own walk over the cpus in
  MPI_Init.
* *uneven*: runs in which, at some moment after main(), a rank was on a node that was
  busier by its capacity, the rank itself not counted, than another. *worst ...*: the
  largest difference between two nodes' ranks at main() (sleepers: at their first instant;
  NAS: when all ranks were first seen), when MPI_Init returned (woken; half-way), and at the
  end.
* *moved*: how often a rank was on another node than at the look before, of so many looks.
* *remote*: pages on another node than their rank, at the end. *delay*: milliseconds that
  the ranks waited for a cpu. *seconds*: of guest time, the whole launch; NAS: the timed part.
* Each launch follows a seeded pause of 0 to 20 ms; the runs of a case are spread over the
  boots. p: Fisher's exact test, two-sided.
"""


def stages():
    """(name, words of its options) of each line of the file stages."""
    with open(os.path.join(HERE, "stages")) as f:
        for line in f:
            words = line.split("#")[0].split()
            if words:
                yield words[0], words[1:]


class Boot:
    """A boot as the file of results has it, for the model."""

    def __init__(self, record, runs):
        self.number, self.machine = record["boot"], record["machine"]
        self.runs = [r for r in runs if r.boot == self.number]


def section(name, words, data, build):
    runs = [results.Run.from_record(r) for r in data["runs"]]
    boots = [Boot(b, runs) for b in data["boots"]]
    cases = sorted({(r.job, r.ranks, r.variant) for r in runs}, key=lambda c: (
        c[0], c[1], (data["options"]["variant"] + ",").find(c[2] + ",") % 1000))
    order = {c: i for i, c in enumerate(cases)}
    runs.sort(key=lambda r: order[r.job, r.ranks, r.variant])
    lines = ["## " + name, "", "`lab " + " ".join(words) + "`: %d runs, %d boot%s." % (
        len(runs), len(boots), "s" if len(boots) > 1 else ""), "", results.markdown(results.table(runs)), ""]
    lines += ["* " + line for line in results.versus_plain(runs)]
    said = model.agreement(boots, build)
    if said:
        lines += ["```"] + said + ["```"]
    faults = ["* **boot %d %s %d %s: %s**" % (r.boot, r.job, r.ranks, r.variant, f)
              for r in runs for f in r.faults()]
    return "\n".join(lines + faults) + "\n"


def document(folder, build):
    parts, missing = [INTRODUCTION], []
    for name, words in stages():
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                parts.append(section(name, words, json.load(f), build))
        else:
            missing.append("* %s: `lab %s`" % (name, " ".join(words)))
    if missing:
        parts.append("## Not run yet\n\n" + "\n".join(missing))
    return "\n".join(parts).rstrip()
