"""ledger.py KIND FILE: writes a ledger of format 2 (core/ledger_format.c), good
or damaged, to be found by a job.

good      one job of two ranks, this process's parent in both slots
stale N   N jobs of four ranks, all long gone
reused N  N jobs whose ranks' process ids live on as others
crowd N   one job of N ranks, all of them process 1
absurd    a job that plans for all that 32 bits hold
"""
import os
import struct
import sys

MASK = (1 << 64) - 1


def checksum(data):
    total = 0xCBF29CE484222325
    for byte in data:
        total = ((total ^ byte) * 0x100000001B3) & MASK
    return total


def start_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as stat:
        return int(stat.read().rsplit(b")", 1)[1].split()[19])


def job(key, width, nodes, slots):
    return b"".join(
        [struct.pack("<iIQIIII", *key, len(slots), width, len(nodes), 0)]
        + [struct.pack("<III", *node) for node in nodes]
        + [struct.pack("<iQ", *slot) for slot in slots])


def ledger(jobs):
    rest = struct.pack("<II", len(jobs), 0) + b"".join(jobs)
    head = struct.pack("<8sIIQ", b"evenkeel", 2, 24 + len(rest), checksum(rest))
    return head + rest


def main():
    kind, path = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    parent = os.getppid()
    me = (parent, start_of(parent))
    two = [(0, 0, 1), (1, 0, 1)]
    if kind == "good":
        jobs = [job((-1, 0, 1), 1, two, [me, me])]
    elif kind == "stale":
        jobs = [job((2**22 + i, 0, i), 1, two, [(2**22 + i, i)] * 4) for i in range(count)]
    elif kind == "reused":
        jobs = [job((parent, i, 1), 1, two, [(parent, 1)] * 4) for i in range(count)]
    elif kind == "crowd":
        jobs = [job((-1, 0, 1), 1, two, [(1, start_of(1))] * count)]
    elif kind == "absurd":
        most = 2**32 - 1
        jobs = [job((-1, 0, 1), most, [(0, most, most), (1, most, most), (most, most, most)],
                    [me])]
    else:
        sys.exit(__doc__)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(ledger(jobs))


main()
