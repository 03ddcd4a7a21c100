"""Prints its arguments so that nothing about them is lost."""
import sys

print(sys.argv[1:])
