"""The kernel's rule as core/policy states it, held against where the kernel started
the children of the sleepers job."""
import os
import subprocess
import tempfile


def rows(report, nodes):
    """For each child the parent's node and what ran on each node when it was forked:
    the parent, and the children before that spin."""
    out = []
    for i, child in enumerate(report["child"]):
        running = [0] * nodes
        running[child["parent"]] += 1
        if report["spin"]:
            for other in report["child"][:i]:
                running[other["first"]] += 1
        out.append("%d %s" % (child["parent"], " ".join(map(str, running))))
    return out


def predict(build, machine, release, lines):
    """The nodes that the model names, one for each line; None where it failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".machine") as f:
        f.write(machine)
        f.flush()
        p = subprocess.run([os.path.join(build, "tests/lab/predict"), f.name, release],
                           input="\n".join(lines) + "\n", stdout=subprocess.PIPE, text=True)
    return p.stdout.split() if p.returncode == 0 else None


def letters(parents, nodes):
    """L for a child on its parent's node, else the node's number."""
    return "".join("L" if int(n) == p else str(n) for p, n in zip(parents, nodes))


def disturbed(report, i):
    """Something else than the parent and the spinning children was runnable just before
    child i was forked or just after (a kernel thread, for instance): the rows do not tell
    where."""
    return report["child"][i]["running"] != (
        [1 + i, 2 + i] if report["spin"] else [1, 1])


def agreement(boots, build):
    """Lines: each sleepers run's children, as predicted and as seen. Children forked
    while something else ran do not count and are left out of both as dots."""
    out, same, total, left_out = [], 0, 0, 0
    for b in boots:
        count = sum(line.startswith("node ") for line in b.machine.splitlines())
        for r in b.runs:
            if not r.name.startswith("sleepers") or not r.ok():
                continue
            report = r.reports[0]
            parents = [c["parent"] for c in report["child"]]
            seen = [c["first"] for c in report["child"]]
            said = predict(build, b.machine, r.release, rows(report, count))
            if said is None:
                out.append("boot %d %s %d: the model could not be asked" %
                           (b.number, r.job, r.ranks))
                continue
            clean = [not disturbed(report, i) for i in range(len(seen))]
            same += sum(int(s) == n for s, n, c in zip(said, seen, clean) if c)
            total += sum(clean)
            left_out += len(seen) - sum(clean)
            words = ["".join(x if c else "." for x, c in zip(letters(parents, of), clean))
                     for of in (said, seen)]
            out.append("boot %d %s %d: from node %s, predicted %s, seen %s%s" % (
                b.number, r.job, r.ranks, "".join(map(str, parents)), *words,
                "" if words[0] == words[1] else "  <-"))
    if total:
        out.append("model and kernel agree on %d of %d children; %d left out, as something "
                   "else ran" % (same, total, left_out))
    return out
