"""Starts evenkeel with clean signals, and prints how it ended: a number, -N for
death by signal N. Usage: statuses.py [kill=SIG] COMMAND...; with kill=SIG the
signal goes to evenkeel alone, once the file `ready` is there."""
import os
import signal
import subprocess
import sys
import time

arguments, number = sys.argv[1:], None
if arguments[0].startswith("kill="):
    number = getattr(signal, "SIG" + arguments.pop(0)[5:])


def clean():
    for n in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(n, signal.SIG_DFL)


child = subprocess.Popen(arguments, preexec_fn=clean)
if number:
    for _ in range(500):
        if os.path.exists("ready"):
            break
        time.sleep(0.02)
    child.send_signal(number)
print(child.wait())
