#!/usr/bin/env python3
"""strace as oracle: which system calls does the preload library make?

  oracle.py inert LIBRARY PLAIN WITH
      The strace -f outputs of one program without and with the library differ
      by what the loader does to map the library, and by nothing else.
  oracle.py roles LIBRARY TRACE LISTS ROLE:LIST...
      TRACE is strace -f -k -y of a job under the library. Each call made by the
      library's own code is in LISTS/LIST.txt for the role its process had
      (launcher, proxy, child of the proxy before its exec, rank), and each ROLE
      made at least one.
  oracle.py dump LIBRARY TRACE
      Prints those calls, for who writes the lists.

Silent and 0 when all is well; else the first differences, and 1.
"""
import difflib
import fnmatch
import os
import re
import sys

LOADER = re.compile(r'/(libc\.so|libc-|ld-linux|ld-|libpthread)[^/]*$')
FRAME = re.compile(r'^ > (.*?)\(')
BY_PATH = {'open', 'openat', 'access', 'faccessat', 'faccessat2', 'stat', 'lstat', 'newfstatat',
           'statx', 'readlink', 'readlinkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat', 'rename',
           'renameat', 'renameat2', 'execve', 'statfs'}


class Call:
    """One system call: whole text, and the objects on the stack under it."""

    def __init__(self, pid, text):
        self.pid = pid
        self.text = text
        self.name = text.split('(', 1)[0]
        self.args = text.split('(', 1)[1] if '(' in text else ''
        self.stack = []

    def path(self):
        """The file it is about: by name, or by its descriptor (strace -y)."""
        if self.name in BY_PATH:
            quoted = re.search(r'"((?:[^"\\]|\\.)*)"', self.args)
            if quoted and quoted.group(1):
                return quoted.group(1)
        by_fd = re.match(r'(?:AT_FDCWD|\d+)<([^>]*)>', self.args)
        return by_fd.group(1) if by_fd else '-'

    def result(self):
        found = re.search(r'= (0x[0-9a-f]+|-?\d+)', self.text.rsplit(')', 1)[-1])
        return int(found.group(1), 0) if found else None


def read(name):
    """The calls of a trace in order of their ends, with interrupted ones joined."""
    calls, begun = [], {}
    with open(name, errors='replace') as trace:
        for line in trace:
            frame = FRAME.match(line)
            if frame:
                calls[-1].stack.append(frame.group(1))
                continue
            if line.startswith(' >'):
                continue
            pid, _, text = line.rstrip('\n').partition(' ')
            text = text.strip()
            resumed = re.match(r'<\.\.\. \w+ resumed>(.*)', text)
            if text.endswith('<unfinished ...>'):
                begun[pid] = text[:-len('<unfinished ...>')]
                continue
            if resumed:
                text = begun.pop(pid, '') + resumed.group(1)
            calls.append(Call(pid, text))
    return calls


def of_library(call, library):
    """Was it made by the library itself, perhaps through libc?"""
    for frame in call.stack:
        if os.path.basename(frame) == library:
            return True
        if not LOADER.search(frame):
            return False
    return False


# The program's name at an exec, and who its process is then.
PROGRAMS = [('mpiexec', 'launcher'), ('hydra_pmi_proxy', 'proxy')]


def roles(calls):
    """Yields (role, call). A child has its parent's role until it execs, but for
    the proxy's, which is where ranks are placed."""
    role = {}
    for call in calls:
        # A new process may be seen before its parent's fork returns.
        mine = role.get(call.pid)
        yield mine, call
        if call.name == 'execve' and call.result() == 0:
            program = os.path.basename(call.path())
            role[call.pid] = next((r for p, r in PROGRAMS if program.startswith(p)), 'rank')
        elif call.name in ('clone', 'clone3', 'fork', 'vfork') and call.result():
            role[str(call.result())] = 'child' if mine == 'proxy' else mine


def parents_first(calls):
    """Moves each fork in front of what its child does."""
    first = {}
    for at, call in enumerate(calls):
        first.setdefault(call.pid, at)
    keyed = []
    for at, call in enumerate(calls):
        where = at
        if call.name in ('clone', 'clone3', 'fork', 'vfork') and call.result():
            where = min(at, first.get(str(call.result()), at) - 0.5)
        keyed.append((where, at, call))
    return [call for _, _, call in sorted(keyed, key=lambda k: k[:2])]


def own_calls(library, trace):
    for role, call in roles(parents_first(read(trace))):
        if of_library(call, library):
            yield role or 'rank', call


def read_list(name):
    """Lines CALL[|CALL...] PATH-PATTERN REASON; # starts a comment."""
    allowed = []
    with open(name) as lines:
        for number, line in enumerate(lines, 1):
            words = line.split('#', 1)[0].split(None, 2)
            if not words:
                continue
            if len(words) < 3:
                sys.exit(f'{name}:{number}: wanted CALL PATH-PATTERN REASON')
            allowed += [(call, words[1]) for call in words[0].split('|')]
    return allowed


def check_roles(library, trace, lists, wanted):
    bad, seen, allowed = [], set(), {}
    for pair in wanted:
        role, _, name = pair.partition(':')
        allowed[role] = read_list(os.path.join(lists, name + '.txt'))
    for role, call in own_calls(library, trace):
        seen.add(role)
        if role not in allowed:
            bad.append(f'{role} makes calls: {call.text}')
        elif not any(call.name == name and fnmatch.fnmatchcase(call.path(), pattern)
                     for name, pattern in allowed[role]):
            bad.append(f'{role} is not allowed: {call.name} {call.path()}: {call.text}')
    # First, since only the first lines are shown.
    return [f'{role} made no call: nothing was tested' for role in allowed
            if role not in seen] + bad


def without_loading(calls, library):
    """Leaves out what maps the library into each process image."""
    out, fd, area, mapped = [], {}, {}, 0
    for call in calls:
        pid, of_fd = call.pid, re.match(r'(\d+)[,)<]', call.args)
        if call.name == 'execve':
            area.pop(pid, None)
        if call.name == 'openat' and os.path.basename(call.path()) == library:
            if (call.result() or -1) >= 0:
                fd[pid] = call.result()
                mapped += 1
                continue
        if pid in fd:
            if call.name == 'mmap':
                size = int(call.args.split(',')[1])
                area.setdefault(pid, (call.result(), call.result() + size))
                continue
            if of_fd and int(of_fd.group(1)) == fd[pid]:
                if call.name in ('read', 'pread64', 'fstat', 'newfstatat'):
                    continue
                if call.name == 'close':
                    del fd[pid]
                    continue
        if call.name == 'mprotect' and pid in area:
            low, high = area[pid]
            if low <= int(call.args.split(',')[0], 0) < high:
                continue
        out.append(call)
    return out, mapped


def normal(calls):
    """Per process, in order of their appearance: names and files of the calls."""
    lines = {}
    for call in calls:
        # Signals come when they come.
        if not call.text.startswith('---'):
            path = re.sub(r':\[\d+\]$', '', call.path())
            lines.setdefault(call.pid, []).append(f'{call.name} {path}')
    out = []
    for number, of_pid in enumerate(lines.values()):
        out += [f'process {number}: {line}' for line in of_pid]
    return out


def check_inert(library, plain, under):
    calls, mapped = without_loading(parents_first(read(under)), library)
    bad = [] if mapped else ['the library was not loaded: nothing was tested']
    diff = difflib.unified_diff(normal(parents_first(read(plain))), normal(calls),
                                'without', 'with', n=1, lineterm='')
    return bad + list(diff)


def main(argv):
    if len(argv) == 5 and argv[1] == 'inert':
        bad = check_inert(os.path.basename(argv[2]), argv[3], argv[4])
    elif len(argv) > 5 and argv[1] == 'roles':
        bad = check_roles(os.path.basename(argv[2]), argv[3], argv[4], argv[5:])
    elif len(argv) == 4 and argv[1] == 'dump':
        counted = {}
        for role, call in own_calls(os.path.basename(argv[2]), argv[3]):
            key = (role, call.name, re.sub(r'/\d+/', '/*/', call.path()))
            counted[key] = counted.get(key, 0) + 1
        for (role, name, path), times in counted.items():
            print(f'{role:9} {times:4} {name} {path}')
        return 0
    else:
        print(__doc__, file=sys.stderr)
        return 2
    for line in bad[:40]:
        print(line)
    return 1 if bad else 0


sys.exit(main(sys.argv))
