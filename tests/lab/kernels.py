"""Kernels and, for old ones, a newer QEMU: fetched from Debian's archive into the
cache folder with apt's own tools. Nothing here needs root: what is not installed is
unpacked into the cache and used from there."""
import fcntl
import glob
import os
import re
import shutil
import subprocess


class Unavailable(Exception):
    """What the lab needs cannot be had here; the text says what and why."""


CACHE = os.environ.get("EVENKEEL_LAB_CACHE") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "evenkeel-lab")

# Where each kernel series is in Debian's archive: its suites, and the pattern of the
# package that holds the image file.
SERIES = {
    "5.10": (["bullseye", "bullseye-security"], r"linux-image-5\.10\.\S*-cloud-amd64"),
    "6.1": (["bookworm", "bookworm-security"], r"linux-image-6\.1\.\S*-cloud-amd64"),
    "6.12": (["bookworm", "bookworm-security"], r"linux-image-6\.12\.\S*-cloud-amd64"),
    "newest": (["sid"], r"linux-binary-\d\S*-cloud-amd64"),
}

# Debian 12's QEMU 7.2 stops at "Booting SMP configuration" with these two under
# icount; QEMU 10.0 boots them.
NEEDS_NEW_QEMU = ("5.10", "6.1")
NEW_QEMU_SUITE = "trixie"


def run(args, cwd=None):
    p = subprocess.run(args, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    if p.returncode:
        last = (p.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable("%s ended with %d: %s" % (" ".join(args[:3]), p.returncode, last))
    return p.stdout


class lock:
    """One lab at a time fills the cache."""

    def __enter__(self):
        os.makedirs(CACHE, exist_ok=True)
        self.file = open(os.path.join(CACHE, "lock"), "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *unused):
        self.file.close()


def mirrors():
    """The archive and its security part, as this host's own apt is told."""
    try:
        uris = set(run(["apt-get", "indextargets", "--format", "$(SITE)"]).split())
    except (OSError, Unavailable) as e:
        raise Unavailable("no apt here to fetch kernels with (%s)" % e)
    main = [u.rstrip("/") for u in uris if re.search(r"/debian/?$", u)]
    security = [u.rstrip("/") for u in uris if re.search(r"debian-security/?$", u)]
    if not main:
        raise Unavailable("apt has no Debian archive among its sources")
    return main[0], (security or [main[0] + "-security"])[0]


class Apt:
    """apt with state of its own for some suites, as if nothing were installed."""

    def __init__(self, suites):
        self.dir = os.path.join(CACHE, "apt-" + suites[0])
        for sub in ("lists/partial", "cache/archives/partial", "etc"):
            os.makedirs(os.path.join(self.dir, sub), exist_ok=True)
        keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
        main, security = mirrors()
        with open(os.path.join(self.dir, "etc/sources.list"), "w") as f:
            for suite in suites:
                f.write("deb [arch=amd64 signed-by=%s] %s %s main\n" %
                        (keys, security if suite.endswith("-security") else main, suite))
        open(os.path.join(self.dir, "status"), "a").close()
        self.options = []
        for name, value in (
                ("Dir::State::Lists", "lists"), ("Dir::State::status", "status"),
                ("Dir::Cache", "cache"), ("Dir::Etc::sourcelist", "etc/sources.list"),
                ("Dir::Etc::sourceparts", "none"), ("Dir::Etc::preferencesparts", "none"),
                ("Dir::Etc::preferences", "none")):
            self.options += ["-o", "%s=%s" % (name, os.path.join(self.dir, value))]
        self.options += ["-o", "APT::Architecture=amd64", "-o", "APT::Sandbox::User=",
                         "-o", "Acquire::Check-Valid-Until=false",
                         "-o", "Acquire::Languages=none", "-o", "Debug::NoLocking=1"]

    def get(self, *args, cwd=None):
        return run(["apt-get", "-q"] + self.options + list(args), cwd)

    def search(self, pattern):
        names = run(["apt-cache"] + self.options + ["pkgnames", "linux-"]).split()
        return [n for n in names if re.fullmatch(pattern, n)]


def version_key(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def best(names):
    """The highest version; a trailing package revision counts last."""
    return max(names, key=version_key) if names else None


def unpack_kernel(deb, into):
    os.makedirs(into, exist_ok=True)
    tar = subprocess.Popen(["dpkg", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", into, "--wildcards", "--no-anchored", "*vmlinuz*"],
                   stdin=tar.stdout, stderr=subprocess.DEVNULL)
    tar.stdout.close()
    tar.wait()
    found = [f for f in glob.glob(os.path.join(into, "**/*vmlinuz*"), recursive=True)
             if os.path.isfile(f)]
    if not found:
        raise Unavailable("%s holds no vmlinuz" % os.path.basename(deb))
    return found[0]


def kernel(name):
    """The image file of a series, or of a file's name; fetched once."""
    if os.path.isfile(name):
        return name
    if name not in SERIES:
        raise Unavailable("kernel '%s': wanted a file or one of %s" %
                          (name, ", ".join(SERIES)))
    folder = os.path.join(CACHE, "kernel-" + name)
    with lock():
        have = glob.glob(os.path.join(folder, "vmlinuz-*"))
        if have:
            return best(have)
        suites, pattern = SERIES[name]
        apt = Apt(suites)
        apt.get("update")
        package = best(apt.search(pattern))
        if not package:
            raise Unavailable("no package %s in %s" % (pattern, " ".join(suites)))
        # What an interrupted fetch left.
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        apt.get("download", package, cwd=folder)
        deb = glob.glob(os.path.join(folder, "*.deb"))[0]
        image = unpack_kernel(deb, os.path.join(folder, "unpacked"))
        release = re.sub(r"^linux-(binary|image)-", "", package)
        final = os.path.join(folder, "vmlinuz-" + release)
        os.rename(image, final)
        os.unlink(deb)
        shutil.rmtree(os.path.join(folder, "unpacked"))
        return final


def new_qemu():
    """A newer QEMU from Debian's archive with all that it links, unpacked."""
    root = os.path.join(CACHE, "qemu-" + NEW_QEMU_SUITE)
    program = os.path.join(root, "usr/bin/qemu-system-x86_64")
    with lock():
        if not os.path.exists(os.path.join(root, "complete")):
            apt = Apt([NEW_QEMU_SUITE])
            apt.get("update")
            apt.get("install", "--download-only", "-y", "--no-install-recommends",
                    "qemu-system-x86")
            for deb in glob.glob(os.path.join(apt.dir, "cache/archives/*.deb")):
                run(["dpkg", "-x", deb, root])
                os.unlink(deb)
            open(os.path.join(root, "complete"), "w").close()
    libs = glob.glob(os.path.join(root, "usr/lib/x86_64-linux-gnu/**/"), recursive=True)
    loader = os.path.join(root, "usr/lib64/ld-linux-x86-64.so.2")
    return [loader, "--library-path", ":".join(libs), program,
            "-L", os.path.join(root, "usr/share/qemu"),
            "-L", os.path.join(root, "usr/share/seabios")]


def qemu(kernel_name, image):
    """The command that starts a QEMU fit for this kernel."""
    series = ".".join(os.path.basename(image).replace("vmlinuz-", "").split(".")[:2])
    if kernel_name in NEEDS_NEW_QEMU or series in NEEDS_NEW_QEMU:
        return new_qemu()
    program = shutil.which("qemu-system-x86_64")
    if not program:
        raise Unavailable("qemu-system-x86_64 was not found (Debian: qemu-system-x86)")
    return [program]
