"""Holds `evenkeel plan --json` against the golden rows of the kernel-policy
notes, section 3.1: each row as our text form and as the XML of that name.
Usage: policy_rows.py PROGRAM MACHINES; prints what differs."""
import json
import subprocess
import sys


def text(nodes, cpus, llc, distance):
    """Our text form: nodes of cpus each, LLCs of llc cpus, distance(i, j)."""
    lines = ["evenkeel-machine 1"]
    for n in range(nodes):
        lines.append(f"node {n} cpus {n * cpus}-{(n + 1) * cpus - 1}")
    for n in range(nodes):
        row = (10 if i == n else distance(n, i) for i in range(nodes))
        lines.append(f"distance {n} " + " ".join(map(str, row)))
    for first in range(0, nodes * cpus, llc):
        lines.append(f"llc {first}-{first + llc - 1}")
    return "\n".join(lines) + "\n"


def flat(d):
    return lambda i, j: d


def packages(per, near, far):
    return lambda i, j: near if i // per == j // per else far


def ring(near, far):
    return lambda i, j: far if (i - j) % 4 == 2 else near


# file in tests/machines, nodes, P, L, distances, S_j, G5 (fork, balance) at the first level, G6
# there, imb_numa_nr by level of G7 and of G8
ROWS = [
    ("two-20c-smt2", 2, 40, 40, flat(21), [80], (20, 10), 10, [10], [5]),
    ("zen3-nps1", 2, 128, 16, flat(32), [256], (64, 32), 32, [8], [8]),
    ("zen3-nps2", 4, 64, 16, packages(2, 12, 32), [128, 256], (32, 16), 16, [4, 8], [4, 8]),
    ("zen3-nps4", 8, 32, 16, packages(4, 12, 32), [128, 256], (32, 8), 8, [2, 4], [2, 4]),
    ("two-8", 2, 8, 8, flat(20), [16], (4, 2), 2, [2], [1]),
    ("two-4", 2, 4, 4, flat(20), [8], (2, 1), 1, [1], [1]),
    ("quad-ring-32c", 4, 64, 64, ring(21, 31), [192, 256], (48, 16), 16, [16, 16], [8, 8]),
    ("quad-mesh-32c", 4, 64, 64, flat(21), [256], (64, 16), 16, [16], [8]),
    ("quad-ring-28c", 4, 56, 56, ring(21, 31), [168, 224], (42, 14), 14, [14, 14], [7, 7]),
    ("spr-snc4-56c", 8, 28, 28, packages(4, 12, 21), [112, 224], (28, 7), 7, [7, 14], [3, 6]),
    ("spr-snc4-60c", 8, 30, 30, packages(4, 12, 21), [120, 240], (30, 7), 7, [7, 14], [3, 6]),
    ("altra-80c", 2, 80, 2, flat(20), [160], (40, 20), 20, [40], [40]),
    ("altra-80c-no-cluster", 2, 80, 1, flat(20), [160], (40, 20), 20, [80], [80]),
    ("altra-80c-slc", 2, 80, 80, flat(20), [160], (40, 20), 20, [20], [10]),
    ("power9-16c", 2, 64, 8, flat(40), [128], (32, 16), 16, [8], [8]),
    ("power9-20c", 2, 80, 8, flat(40), [160], (40, 20), 20, [10], [10]),
    ("power9-22c", 2, 88, 8, flat(40), [176], (44, 22), 22, [11], [11]),
    ("epyc-9654-nps1", 2, 192, 16, flat(32), [384], (96, 48), 48, [12], [12]),
    ("epyc-9654-nps2", 4, 96, 16, packages(2, 12, 32), [192, 384], (48, 24), 24, [6, 12], [6, 12]),
    ("epyc-9654-nps4", 8, 48, 16, packages(4, 12, 32), [192, 384], (48, 12), 12, [3, 6], [3, 6]),
    ("zen2-nps1", 2, 128, 8, flat(32), [256], (64, 32), 32, [16], [16]),
]

GENERATIONS = [
    ("5.14", "G5"), ("5.15.20", "G5"), ("5.15.40", "G6"), ("5.18", "G7"), ("5.19.17", "G7"),
    ("6.0", "G8"), ("6.12", "G8"), ("6.12.117", "G8b"),
]


def plan(machine, kernel):
    out = subprocess.run([sys.argv[1], "plan", "--json", "-n", "1", "--machine", machine,
                          "--kernel", kernel], capture_output=True, text=True)
    assert out.returncode == 0 and not out.stderr, out.stderr
    return json.loads(out.stdout)


def check(row, version, generation, xml):
    name, nodes, p, llc, distance, spans, g5, g6, g7, g8 = row
    if xml:
        name += ".xml"
        got = plan(f"{sys.argv[2]}/{name}", version)
    else:
        got = plan(text(nodes, p, llc, distance), version)
    levels = got["levels"]
    first = levels[0]
    imb = {"G5": [0] * len(spans), "G6": [0] * len(spans), "G7": g7}.get(generation, g8)
    want = [
        ("generation", got["kernel"]["generation"], generation),
        ("spans", [x["span"] for x in levels], spans),
        ("imb_numa_nr", [x["imb_numa_nr"] for x in levels], imb),
    ]
    limits = (first["fork_limit"], first["balance_limit"])
    if generation in ("G5", "G6"):
        want.append(("limits", limits, {"G5": g5, "G6": (g6, g6)}[generation]))
    else:
        for j, level in enumerate(levels):
            want.append((f"limits {j}", (level["fork_limit"], level["balance_limit"]),
                         (imb[j], imb[j])))
    return [f"{name}, {version}: {what} {seen}, wanted {wish}"
            for what, seen, wish in want if seen != wish]


bad = [line for row in ROWS for version in GENERATIONS for xml in (False, True)
       for line in check(row, *version, xml)]
print("\n".join(bad), end="\n" if bad else "")
sys.exit(bool(bad))
