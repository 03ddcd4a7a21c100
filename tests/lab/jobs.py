"""What is run in the guest, and in which ways."""
import json
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

# The same ranks keep to their nodes to the end in these; in those only until
# MPI_Init returns.
HELD = ("run", "preload", "bind-numa")
SETTLED = ("settle",)

WHERE = "/job/examples/where --json"
JOBS = {
    "where": WHERE,
    "where-blocking": WHERE + " --work-us 2000 --sleep-us 500",
    "sleepers": "/job/tests/lab/sleepers",
    "sleepers-spin": "/job/tests/lab/sleepers --spin",
}
NAS = ("cg", "ep", "ft", "is", "mg")


class JobError(Exception):
    pass


def programs(build, jobs, variants):
    """What the guest needs of the build: {name under /job: path}."""
    names = ["shim/.libs/libevenkeel.so", "examples/where", "tests/lab/sleepers"]
    names += ["examples/nas/" + j.split(".")[0] for j in jobs if j.split(".")[0] in NAS]
    if any(base(v) == "run" for v in variants):
        names.append("launcher/evenkeel")
    if any(base(v) == "early" for v in variants):
        names.append("tests/lab/.libs/early_settle.so")
    return {name: "%s/%s" % (build, name) for name in names}


def base(variant):
    name = variant[:-len("-nowalk")] if variant.endswith("-nowalk") else variant
    if name not in VARIANTS:
        raise JobError("variant '%s': wanted one of %s, each also with -nowalk" %
                       (variant, " ".join(VARIANTS)))
    return name


def is_mpi(job):
    return not job.startswith("sleepers")


def program(job, options):
    name, _, size = job.partition(".")
    if name in NAS:
        return "/job/examples/nas/%s -c %s --report-nodes --json /dev/stdout" % (name, size or "S")
    if job not in JOBS:
        raise JobError("job '%s': wanted one of %s, or %s with a class (mg.S)" %
                       (job, " ".join(JOBS), " ".join(NAS)))
    text = JOBS[job]
    if job.startswith("where"):
        text += " --seconds %g --mb %d" % (options.seconds, options.mb)
    return text


def command(job, ranks, variant, options):
    """The shell command for one run."""
    text = program(job, options)
    if not is_mpi(job):
        return "%s -n %d --seconds %g" % (text, ranks, options.seconds)
    env, before, after = VARIANTS[base(variant)]
    env = dict(env, **(NO_WALK if variant.endswith("-nowalk") else {}))
    words = ["env"] + ["%s=%s" % pair for pair in sorted(env.items())] if env else []
    words += before + ["mpiexec.hydra"] + after + ["-n", str(ranks)]
    return " ".join(shlex.quote(w) for w in words) + " " + text


def report(lines):
    """The JSON object that a job printed, or None."""
    for i, line in enumerate(lines):
        if line.startswith("{"):
            try:
                return json.JSONDecoder().raw_decode("\n".join(lines[i:]))[0]
            except ValueError:
                continue
    return None


def moments(found):
    """Ranks per node at each moment of a report: [(moment, [ranks])]."""
    if "moments" in found:
        return [(m["at"], m["ranks_per_node"]) for m in found["moments"]]
    counts = [0] * (1 + max(n["node"] for n in found["nodes"]))
    for n in found["nodes"]:
        counts[n["node"]] += n["ranks"]
    return [("end", counts)]
