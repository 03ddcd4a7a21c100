"""A machine from a file, and one boot of it."""
import os
import re
import select
import subprocess
import time

SHAPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes")


class ShapeError(Exception):
    pass


def cpu_list(text):
    """The cpus of a list such as 0-3,8."""
    cpus = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


class Shape:
    """Lines of a shape file: smp (QEMU's own words), node [cpus LIST] [memory SIZE],
    distance (one row a line), cpu (properties), kernel (words for the command line)."""

    def __init__(self, name):
        path = name if os.path.isfile(name) else os.path.join(SHAPES, name)
        if not os.path.isfile(path):
            raise ShapeError("shape '%s': wanted a file or one of %s" %
                             (name, " ".join(sorted(os.listdir(SHAPES)))))
        self.name = os.path.basename(path)
        self.smp, self.cpu, self.kernel, self.nodes, self.distances = "", "", "", [], []
        for number, line in enumerate(open(path), 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            try:
                self.line(words)
            except (IndexError, ValueError):
                raise ShapeError("%s:%d: '%s' is no line of a shape" %
                                 (path, number, line.strip()))
        if not self.smp or not self.nodes:
            raise ShapeError("%s: a shape needs smp and node lines" % path)
        self.cpus = int(self.smp.split(",")[0])

    def line(self, words):
        if words[0] == "smp":
            self.smp = words[1]
        elif words[0] == "node":
            pairs = dict(zip(words[1::2], words[2::2]))
            self.nodes.append({"cpus": cpu_list(pairs["cpus"]) if "cpus" in pairs else [],
                               "cpus_text": pairs.get("cpus"), "memory": pairs.get("memory")})
        elif words[0] == "distance":
            self.distances.append([int(w) for w in words[1:]])
        elif words[0] == "cpu":
            self.cpu = "," + words[1]
        elif words[0] == "kernel":
            self.kernel = " ".join(words[1:])
        else:
            raise ValueError(words[0])

    def isolated(self):
        found = re.search(r"isolcpus=(\S+)", self.kernel)
        return cpu_list(found.group(1)) if found else []

    def memory(self):
        units = {"M": 1, "G": 1024}
        return sum(int(n["memory"][:-1]) * units[n["memory"][-1]]
                   for n in self.nodes if n["memory"])

    def arguments(self):
        args = ["-smp", self.smp, "-m", "%dM" % self.memory()]
        for i, node in enumerate(self.nodes):
            text = "node,nodeid=%d" % i
            if node["cpus"]:
                text += "".join(",cpus=%d" % c for c in node["cpus"])
            if node["memory"]:
                args += ["-object", "memory-backend-ram,id=m%d,size=%s" % (i, node["memory"])]
                text += ",memdev=m%d" % i
            args += ["-numa", text]
        for i, row in enumerate(self.distances):
            for j, value in enumerate(row):
                if i != j:
                    args += ["-numa", "dist,src=%d,dst=%d,val=%d" % (i, j, value)]
        return args


def arguments(qemu, shape, kernel, initrd, seed):
    """icount makes the lab honest: virtual time follows executed instructions, so that
    the work done between two timer ticks is near a real machine's. Without it a guest
    is so slow per tick that the balancer repairs every placement before it is seen."""
    # A guest must not outlive a lab that is ended.
    return (["setpriv", "--pdeathsig", "KILL", "nice", "-n", "10"] + qemu + shape.arguments() + [
        "-cpu", "max" + shape.cpu, "-accel", "tcg,thread=single,tb-size=512",
        "-icount", "shift=0,sleep=off", "-seed", str(seed), "-kernel", kernel,
        "-initrd", initrd, "-nographic", "-nodefaults", "-no-reboot", "-serial", "stdio",
        "-append", "console=ttyS0 quiet loglevel=3 panic=-1 tsc=unstable mitigations=off " +
        shape.kernel])


class Hung(Exception):
    pass


# A guest beside busier programs gets little of the host and is silent for long; one that
# waits for what never comes uses none of it.
WALL_SHARE = 10


def cpu_seconds(pid):
    """What a process has used so far; 0 for one that has gone."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(p, bound):
    """Until the guest says something; Hung as lines() tells."""
    start, used = time.monotonic(), cpu_seconds(p.pid)
    while not select.select([p.stdout], [], [], min(bound, 1))[0]:
        if (cpu_seconds(p.pid) - used > bound or
                time.monotonic() - start > bound * WALL_SHARE):
            raise Hung("nothing on the console for %d s" % bound)


def lines(args, log, bound):
    """Lines of the guest's console as they come, kept in the file log too. Hung when it
    says nothing for bound seconds of its own cpu time, or ten times as long by the clock;
    the guest is ended in any case."""
    p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    rest = b""
    try:
        with open(log, "wb") as keep:
            while True:
                wait(p, bound)
                data = os.read(p.stdout.fileno(), 65536)
                if not data:
                    break
                keep.write(data)
                keep.flush()
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    yield line.decode(errors="replace").rstrip("\r")
    finally:
        p.stdout.close()
        if p.poll() is None:
            # A guest that has powered off goes by itself.
            deadline = time.monotonic() + 2
            while p.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            if p.poll() is None:
                p.kill()
        p.wait()
