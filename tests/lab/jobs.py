"""What is run in the guest, and in which ways."""
import json
import re
import shlex

# The build's folders keep their places, by which the launcher finds the library.
SHIM = "/job/shim/.libs/libevenkeel.so"
EARLY = "/job/tests/lab/.libs/early_settle.so"

# How a job is launched: environment, words before mpiexec, words after it. Each may
# be followed by -nowalk: without MPICH 4.0's own walk over the cpus in MPI_Init.
VARIANTS = {
    "plain": ({}, [], []),
    "bind-numa": ({}, [], ["-bind-to", "numa"]),
    "run": ({}, ["/job/launcher/evenkeel", "run"], []),
    "preload": ({"LD_PRELOAD": SHIM}, [], []),
    "settle": ({"LD_PRELOAD": SHIM, "EVENKEEL_MODE": "settle"}, [], []),
    # The lab's own test: ranks are let go before MPI_Init (early_settle.c).
    "early": ({"LD_PRELOAD": SHIM + ":" + EARLY}, [], []),
}
NO_WALK = {"HWLOC_COMPONENTS": "-x86"}

# How often the sampler looks, in jobs of up to a second and in longer ones.
LOOK_MS, LOOK_MS_LONG = 20, 200

# Besides, what a job wants in its environment whatever the variant.
ENVIRONMENT = {"hybrid": {"OMP_NUM_THREADS": "4", "OMP_PROC_BIND": "true"}}

# Ranks keep to their nodes to the end in these; in those only until MPI_Init returns.
HELD = ("run", "preload")
SETTLED = ("settle",)

WHERE = "/job/examples/where --json"
JOBS = {
    "where": WHERE,
    "where-blocking": WHERE + " --work-us 2000 --sleep-us 500",
    # Ranks of four pinned threads each; ranks that spawn two more.
    "hybrid": "/job/tests/lab/hybrid",
    "spawn": "/job/tests/lab/spawner",
    # evenkeel compare of where, plain and evenkeel in turn.
    "compare": "/job/launcher/evenkeel compare",
    "sleepers": "/job/tests/lab/sleepers",
    "sleepers-spin": "/job/tests/lab/sleepers --spin",
}
NAS = ("cg", "ep", "ft", "is", "mg")

SPAWNED = 2
COMPARE_RUNS = 8
COMPARE_FILE = "/tmp/compare.jsonl"

# A cpuset that takes away all nodes but the last.
CPUSET = """mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/lab
echo %s > /sys/fs/cgroup/lab/cpuset.cpus"""


class JobError(Exception):
    pass


def programs(build, jobs, variants):
    """What the guest needs of the build: {name under /job: path}."""
    kinds = {parts(j)[0].split(".")[0] for j in jobs}
    names = ["shim/.libs/libevenkeel.so", "examples/where", "tests/lab/sleepers",
             "tests/lab/sampler"]
    names += ["examples/nas/" + k for k in kinds if k in NAS]
    names += ["tests/lab/" + p for k, p in (("hybrid", "hybrid"), ("spawn", "spawner"))
              if k in kinds]
    if not all(is_mpi(k) for k in kinds) or any(base(v) == "run" for v in variants if v != "-"):
        names.append("launcher/evenkeel")
    if any(base(v) == "early" for v in variants if v != "-"):
        names.append("tests/lab/.libs/early_settle.so")
    return {name: "%s/%s" % (build, name) for name in names}


def base(variant):
    name = variant[:-len("-nowalk")] if variant.endswith("-nowalk") else variant
    if name not in VARIANTS:
        raise JobError("variant '%s': wanted one of %s, each also with -nowalk" %
                       (variant, " ".join(VARIANTS)))
    return name


def is_mpi(job):
    """Whether it is launched by mpiexec, in a variant."""
    return not job.startswith(("sleepers", "compare"))


def parts(job):
    """A job's name and what goes on beside it: where+busy4 is where with a busy loop
    on each of cpus 0 to 3."""
    name, *beside = job.split("+")
    for b in beside:
        if not re.fullmatch(r"busy\d+|two|cpuset|nobalance", b):
            raise JobError("'%s' of job '%s': wanted busyN, two, cpuset or nobalance" % (b, job))
    return name, beside


def busy(job):
    """Cpus of nodes 0 and 1 that loops keep busy; they are on node 0."""
    return [sum(int(b[4:]) for b in parts(job)[1] if b.startswith("busy")), 0]


def program(name, options):
    kernel, _, size = name.partition(".")
    if kernel in NAS:
        return ("/job/examples/nas/%s -c %s --report-nodes --json /dev/stdout" %
                (kernel, size or "S"))
    if name not in JOBS:
        raise JobError("job '%s': wanted one of %s, or %s with a class (mg.S)" %
                       (name, " ".join(JOBS), " ".join(NAS)))
    text = JOBS[name]
    if name.startswith("where"):
        text += " --seconds %g --mb %d" % (options.seconds, options.mb)
    elif name == "hybrid":
        text += " %g" % options.seconds
    elif name == "spawn":
        text += " %d %g" % (SPAWNED, options.seconds)
    return text


def launch(name, ranks, variant, options):
    """The command of one job by itself."""
    text = program(name, options)
    if name == "compare":
        # To a file, as it draws its progress on a terminal.
        return ("%s -r %d --metric wall -o %s -- mpiexec.hydra -n %d %s >/tmp/said 2>&1; C=$?; "
                "cat /tmp/said %s; rm %s; (exit $C)" % (
                    text, COMPARE_RUNS, COMPARE_FILE, ranks,
                    program("where", options).replace(" --json", ""), COMPARE_FILE,
                    COMPARE_FILE))
    if not is_mpi(name):
        return "%s -n %d --seconds %g" % (text, ranks, options.seconds)
    env, before, after = VARIANTS[base(variant)]
    env = dict(env, **(NO_WALK if variant.endswith("-nowalk") else {}))
    env.update(ENVIRONMENT.get(name, {}))
    words = ["env"] + ["%s=%s" % pair for pair in sorted(env.items())] if env else []
    words += before + ["mpiexec.hydra"] + after + ["-n", str(ranks)]
    return " ".join(shlex.quote(w) for w in words) + " " + text


def command(job, ranks, variant, options):
    """The shell text for one run; its last command's exit status is the job's."""
    name, beside = parts(job)
    text = "( %s ) </dev/null 2>&1" % launch(name, ranks, variant, options)
    after = ""
    if name == "spawn":
        after += " rm -rf /tmp/spawner;"
    if name.split(".")[0] in NAS or any(busy(job)) or "two" in beside:
        kernel, _, size = name.partition(".")
        text = "sampler %s %d & S=$!; %s" % (kernel, LOOK_MS if size in ("", "S") else LOOK_MS_LONG,
                                             text)
        after += " kill $S; wait $S;"
    for b in beside:
        if b == "two":
            text = "( %s ) >/tmp/two & T=$!; %s" % (text, text)
            after += " wait $T || RC=$?; cat /tmp/two;"
        elif b == "nobalance":
            text = "echo 0 > /proc/sys/kernel/numa_balancing; " + text
            after += " echo 1 > /proc/sys/kernel/numa_balancing;"
        elif b == "cpuset":
            text = "echo $$ > /sys/fs/cgroup/lab/cgroup.procs; " + text
            after += " echo $$ > /sys/fs/cgroup/cgroup.procs;"
        else:
            text = ("L=; for c in $(seq 0 %d); do taskset $(printf %%x $((1<<c))) "
                    "sh -c 'while :; do :; done' & L=\"$L $!\"; done; usleep 100000; %s" %
                    (int(b[4:]) - 1, text))
            after += " kill $L; wait $L;"
    return "%s; RC=$?;%s (exit $RC)" % (text, after) if after else text


def reports(lines):
    """The JSON objects that a job printed."""
    text, found = "\n".join(line for line in lines if not line.startswith("@")), []
    at = text.find("{")
    while at >= 0:
        try:
            value, used = json.JSONDecoder().raw_decode(text[at:])
            found.append(value)
        except ValueError:
            used = 1
        at = text.find("{", at + used)
    return found


def samples(lines):
    """What the sampler saw: [[ms, [pid, node], ...], ...]."""
    for line in lines:
        if line.startswith("@sampler "):
            return json.loads(line[len("@sampler "):])
    return []


def counts(nodes):
    """Ranks per node of a list with the node of each rank."""
    return [nodes.count(n) for n in range(max(nodes) + 1)] if nodes else []


def moments(found, lines, ranks):
    """Ranks per node at each moment of what a job reported: [(moment, [ranks])]. Of a
    NAS kernel: when all ranks were first seen, half-way, and at its end."""
    if "placement" in found:  # a run of compare
        return [] if found["warmup"] else [
            ("%s %d %s" % (found["variant"], found["run"], at), found["placement"][at])
            for at in ("start", "end")]
    if "moments" in found:
        return [(m["at"], m["ranks_per_node"]) for m in found["moments"]]
    if "nodes" not in found:
        return []
    whole = [[p[1] for p in s[1:]] for s in samples(lines) if len(s) == ranks + 1]
    at = [("start", counts(whole[0])), ("half", counts(whole[len(whole) // 2]))] if whole else []
    end = [n["node"] for n in found["nodes"] for _ in range(n["ranks"])]
    return at + [("end", counts(end))]


def moves(found, lines):
    """How often a rank was seen on another node than in the sample before, from when
    MPI is up, and in how many looks at one rank; (0, 0) when nothing was seen."""
    changed = looks = 0
    rows = [r["node_at"][1:] for r in found.get("rank", []) if "node_at" in r]
    if not rows:
        by_pid = {}
        for s in samples(lines):
            for pid, node, *_ in s[1:]:
                by_pid.setdefault(pid, []).append(node)
        rows = list(by_pid.values())
    for row in rows:
        changed += sum(a != b for a, b in zip(row, row[1:]))
        looks += max(0, len(row) - 1)
    return changed, looks


def cpus(found):
    """The cpus that a job's ranks or their threads were on at its end."""
    if "threads" in found:
        return [c for t in found["threads"] for c in t["cpus"]]
    return found.get("cpus") or [r["cpu"] for r in found.get("rank", []) if "cpu" in r]


def delay_ms(lines):
    """How long the ranks waited for a cpu, as the sampler last saw it, summed over the
    ranks; None when nothing was seen."""
    last = {p[0]: p[2] for s in samples(lines) for p in s[1:] if len(p) > 2 and p[2] >= 0}
    return sum(last.values()) / 1000 if last else None
