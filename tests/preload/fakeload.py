#!/usr/bin/env python3
"""fakeload.py FOLDER RUNNING CPUS [BUSY,...]: keeps FOLDER/stat and
FOLDER/loadavg, to be mounted over those of /proc, as on a host of CPUS cpus on
which RUNNING tasks run and the BUSY cpus are busy all the time. Until it is killed.
"""
import os
import sys
import time


def text(counters):
    """Always of the same length: it is read while it is written."""
    lines = [f'cpu{cpu} {busy:012} 0 0 {idle:012} 0 0 0 0 0 0\n'
             for cpu, (busy, idle) in enumerate(counters)]
    return ''.join(lines + ['intr 0\n']).encode()


def main(folder, running, ncpus, busy=''):
    cpus = {int(cpu) for cpu in busy.split(',') if cpu}
    counters = [[1000, 1000] for _ in range(int(ncpus))]
    with open(f'{folder}/loadavg', 'w', encoding='ascii') as loadavg:
        loadavg.write(f'1.00 1.00 1.00 {running}/99 1\n')
    stat = os.open(f'{folder}/stat', os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600)
    while True:
        os.pwrite(stat, text(counters), 0)
        time.sleep(0.004)
        for cpu, counter in enumerate(counters):
            counter[cpu not in cpus] += 100


main(*sys.argv[1:])
