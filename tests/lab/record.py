"""A machine of the lab as files of tests/machines: what its /sys says, in the form that
tests/machines/generate describes, and what hwloc makes of it."""
import os
import re

FILES = """sys/devices/system/cpu/possible sys/devices/system/cpu/present
    sys/devices/system/cpu/online sys/devices/system/cpu/isolated
    sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id
    sys/devices/system/cpu/cpu[0-9]*/topology/package_cpus_list
    sys/devices/system/cpu/cpu[0-9]*/topology/die_cpus_list
    sys/devices/system/cpu/cpu[0-9]*/topology/cluster_cpus_list
    sys/devices/system/cpu/cpu[0-9]*/topology/core_cpus_list
    sys/devices/system/cpu/cpu[0-9]*/topology/core_id
    sys/devices/system/cpu/cpu[0-9]*/cache/index*/level
    sys/devices/system/cpu/cpu[0-9]*/cache/index*/type
    sys/devices/system/cpu/cpu[0-9]*/cache/index*/shared_cpu_list
    sys/devices/system/node/online sys/devices/system/node/possible
    sys/devices/system/node/has_memory sys/devices/system/node/node[0-9]*/cpulist
    sys/devices/system/node/node[0-9]*/distance""".split()

# Only the first lines of these: the kernel's reclaim distance hangs on the vendor, and
# memory in use is no part of a machine.
SCRIPT = """cd /
echo @@ files
for f in %s; do
	[ -f $f ] && printf '%%s\\t%%s\\n' $f "$(cat $f)"
done
printf 'proc/cpuinfo\\t%%s\\n' "$(head -n 4 /proc/cpuinfo | sed '$!s/$/\\\\n/' | tr -d '\\n')"
for f in sys/devices/system/node/node[0-9]*/meminfo; do
	printf '%%s\\t%%s\\n' $f "$(sed -n '/MemTotal/s/  */ /gp' $f)"
done
echo @@ xml
lstopo --of xml
echo @@ end of record
""" % " ".join(FILES)

PROGRAM = "lstopo-no-graphics"


def text(cpus):
    """The kernel's list form."""
    out, cpus = [], sorted(cpus)
    while cpus:
        n = 1
        while n < len(cpus) and cpus[n] == cpus[0] + n:
            n += 1
        out.append(str(cpus[0]) if n == 1 else "%d-%d" % (cpus[0], cpus[n - 1]))
        cpus = cpus[n:]
    return ",".join(out)


def compress(lines):
    """One line for all cpus whose file of a name says the same, or their own number."""
    files = {}  # by path with %s for the cpu: {cpu or None: content}
    for line in lines:
        path, _, content = line.partition("\t")
        found = re.match(r"(sys/devices/system/cpu/cpu)(\d+)(/.*)$", path)
        if found:
            path = found.group(1) + "{%s}" + found.group(3)
        files.setdefault(path, {})[int(found.group(2)) if found else None] = content
    out = []
    for path, by_cpu in files.items():
        own = sum(content == str(cpu) for cpu, content in by_cpu.items())
        groups = {}
        for cpu in sorted(by_cpu, key=lambda c: c or 0):
            # A number of the machine that happens to be one cpu's is no rule.
            rule = by_cpu[cpu] == str(cpu) and own * 2 >= len(by_cpu)
            groups.setdefault("{+0}" if rule else by_cpu[cpu], []).append(cpu)
        out += ["%s\t%s" % (path if cpus == [None] else path % text(cpus), content)
                for content, cpus in groups.items()]
    return out


def parts(lines):
    """The lines of the listing and those of the XML in what the guest said."""
    marks = [lines.index("@@ " + m) for m in ("files", "xml", "end of record")]
    return lines[marks[0] + 1:marks[1]], lines[marks[1] + 1:marks[2]]


def write(lines, shape, release, folder):
    """Writes lab-SHAPE.sys and lab-SHAPE.xml; hwloc's form has no isolated cpus, so of a
    machine with such there is no XML. The names written."""
    files, xml = parts(lines)
    name = "lab-" + shape.name
    head = "# %s: recorded from shape %s under kernel %s by tests/lab/lab record." % (
        name, shape.name, release)
    written = {name + ".sys": "\n".join([head] + compress(files))}
    if not shape.isolated():
        # What tells one boot from the next.
        drop = re.compile(r'<info name="(HostName|OSVersion|OSRelease|DMI\w*|lstopo\w*|'
                          r'ProcessName|hwlocVersion)"')
        written[name + ".xml"] = "\n".join(x for x in xml if not drop.search(x))
    for file, content in written.items():
        with open(os.path.join(folder, file), "w") as f:
            f.write(content + "\n")
    return sorted(written)
