#!/usr/bin/env python3
"""reach.py OBJECT... -- FUNCTION...: which functions of other libraries can be
called when FUNCTION... are, by the relocations of the objects that the preload
library is made of (each function is a section of its own). A table of functions
counts as a call of all that are in it. One name a line, sorted.
"""
import collections
import re
import subprocess
import sys

TABLE = re.compile(r'^([0-9a-f]{16}) (.{7}) (\S+)\s+[0-9a-f]+\s+(?:\.hidden |\.internal )?(\S+)$')
RELOCATIONS = re.compile(r'^RELOCATION RECORDS FOR \[(.*)\]:$')
RELOCATION = re.compile(r'^[0-9a-f]{16} (\S+)\s+(\S+?)(?:[-+]0x[0-9a-f]+)?$')


def objdump(option, path):
    return subprocess.run(['objdump', option, path], check=True, capture_output=True,
                          text=True).stdout.splitlines()


def read(paths):
    """Where each symbol is defined, and what each section of each object names."""
    defined, local, names = {}, {}, collections.defaultdict(set)
    for path in paths:
        for line in objdump('-t', path):
            found = TABLE.match(line)
            if not found or found.group(3) in ('*UND*', '*ABS*'):
                continue
            where = (path, found.group(3))
            local[path, found.group(4)] = where
            if found.group(2)[0] in 'gu' or 'w' in found.group(2):
                defined[found.group(4)] = where
        section = None
        for line in objdump('-r', path):
            head = RELOCATIONS.match(line)
            if head:
                section = head.group(1)
                continue
            found = RELOCATION.match(line)
            if found and not section.startswith(('.debug', '.eh_frame')):
                names[path, section].add(found.group(2))
    return defined, local, names


def reach(paths, functions):
    defined, local, names = read(paths)
    missing = [f for f in functions if f not in defined]
    if missing:
        sys.exit('not defined: ' + ' '.join(missing))
    todo, seen, others = [defined[f] for f in functions], set(), set()
    while todo:
        where = todo.pop()
        if where in seen:
            continue
        seen.add(where)
        for name in names[where]:
            inside = local.get((where[0], name)) or defined.get(name)
            if inside:
                todo.append(inside)
            elif name != '_GLOBAL_OFFSET_TABLE_':
                others.add(name)
    return others


def main():
    cut = sys.argv.index('--')
    for name in sorted(reach(sys.argv[1:cut], sys.argv[cut + 1:])):
        print(name)


main()
