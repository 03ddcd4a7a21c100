"""A rank that spawns RANKS times COMMAND by PMI-1 itself, as MPI_Comm_spawn
would, and waits for its own file: pmi_spawn.py GO RANKS COMMAND [ARGUMENT...]

MPI_Comm_spawn of some MPICH releases is broken, Hydra's part of it is not. Rank 0
asks; all wait until GO is there.
"""
import os
import socket
import sys
import time


def talk(pmi, text, answer):
    pmi.sendall(text.encode())
    got = b''
    while not got.endswith(b'\n'):
        part = pmi.recv(4096)
        if not part:
            sys.exit('the process manager has gone')
        got += part
    if f'cmd={answer}' not in got.decode() or 'rc=-' in got.decode():
        sys.exit(f'{text.split()[0]}: {got.decode()}')


def main(go, ranks, command, *arguments):
    pmi = socket.socket(fileno=int(os.environ['PMI_FD']))
    talk(pmi, 'cmd=init pmi_version=1 pmi_subversion=1\n', 'response_to_init')
    if os.environ['PMI_RANK'] == '0':
        lines = ['mcmd=spawn', f'nprocs={ranks}', f'execname={command}', 'totspawns=1',
                 'spawnssofar=1', f'argcnt={len(arguments)}']
        lines += [f'arg{i + 1}={argument}' for i, argument in enumerate(arguments)]
        lines += ['preput_num=0', 'info_num=0', 'endcmd']
        talk(pmi, '\n'.join(lines) + '\n', 'spawn_result')
    for _ in range(6000):
        if os.path.exists(go):
            break
        time.sleep(0.01)
    talk(pmi, 'cmd=finalize\n', 'finalize_ack')


main(*sys.argv[1:])
