"""The guest's file system: an initramfs of what is installed here and what was built."""
import glob
import os
import re
import shutil
import stat
import subprocess

from kernels import Unavailable

HERE = os.path.dirname(os.path.abspath(__file__))

APPLETS = """sh mount ip hostname mkdir cat echo usleep sleep poweroff taskset kill env
    grep sed ls ln uname true seq printf head tr""".split()

FILES = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/hosts": "127.0.0.1 localhost lab\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
FOLDERS = "dev proc sys run tmp root bin etc job usr usr/bin".split()


class Cpio:
    """A newc archive in memory."""

    def __init__(self):
        self.parts = []
        self.names = set()
        self.inode = 0

    def add(self, name, mode, data=b"", dev=(0, 0)):
        if name in self.names:
            return
        parent = os.path.dirname(name)
        if parent and parent not in self.names:
            self.add(parent, stat.S_IFDIR | 0o755)
        self.names.add(name)
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, dev[0], dev[1],
                  len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0"
        self.parts += [head, b"\0" * (-len(head) % 4), data, b"\0" * (-len(data) % 4)]

    def text(self, name, text, mode=0o644):
        self.add(name, stat.S_IFREG | mode, text.encode())

    def link(self, name, target):
        self.add(name, stat.S_IFLNK | 0o777, target.encode())

    def file(self, name, path):
        with open(path, "rb") as f:
            self.add(name, stat.S_IFREG | 0o755, f.read())

    def end(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def libraries(paths):
    """What the loader would load for programs and libraries, by full name."""
    text = subprocess.run(["ldd"] + paths, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout
    return re.findall(r"(?:=> |^\s)(/\S+) \(0x", text, re.M)


def find(program):
    path = shutil.which(program)
    if not path:
        raise Unavailable("%s was not found" % program)
    return os.path.realpath(path)


def plugins():
    """UCX loads its transports from a folder beside its library."""
    return [p for p in glob.glob("/usr/lib/x86_64-linux-gnu/ucx/*.so*") if ".so" in p]


def base(programs, tools=()):
    """The archive all boots share. programs: {name in /job: path}; tools: installed
    ones by name, to be called by the first word of it."""
    cpio = Cpio()
    for folder in FOLDERS:
        cpio.add(folder, stat.S_IFDIR | 0o755)
    # The kernel opens it for init before anything is mounted.
    cpio.add("dev/console", stat.S_IFCHR | 0o600, dev=(5, 1))
    for name, text in FILES.items():
        cpio.text(name, text)
    with open(os.path.join(HERE, "init.sh")) as f:
        cpio.text("init", f.read(), 0o755)
    cpio.file("bin/busybox", find("busybox"))
    for applet in APPLETS:
        cpio.link("bin/" + applet, "busybox")
    # Hydra looks for its proxy beside itself.
    binaries = {"usr/bin/" + name: find(name) for name in ("mpiexec.hydra", "hydra_pmi_proxy")}
    binaries.update((path.lstrip("/"), path) for path in plugins())
    binaries.update(("usr/bin/" + tool.split("-")[0], find(tool)) for tool in tools)
    binaries.update(("job/" + name, path) for name, path in sorted(programs.items()))
    for name, path in binaries.items():
        cpio.file(name, path)
    for lib in libraries(list(binaries.values())):
        cpio.file(lib.lstrip("/"), lib)
    return cpio.end()


def with_script(archive, script):
    """archive and, behind it, a small one with what this boot is to do."""
    cpio = Cpio()
    cpio.text("job/script", script, 0o755)
    # An archive starts at a multiple of four bytes.
    return archive + b"\0" * (-len(archive) % 4) + cpio.end()
