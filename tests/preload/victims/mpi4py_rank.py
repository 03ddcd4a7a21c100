"""A rank of mpi4py: says its rank and sum, and leaves its masks as victim.h says.

mpi4py_rank.py LIBVICTIM
"""
import ctypes
import os
import sys

note = ctypes.CDLL(sys.argv[1]).victim_note
note(b"main")
from mpi4py import MPI  # noqa: E402  this import is where MPI starts

note(b"up")
world = MPI.COMM_WORLD
total = world.allreduce(world.rank)
# One write, which mpirun keeps whole.
os.write(1, f"rank {world.rank} of {world.size}, sum {total}\n".encode())
