#!/bin/sh
# Makes configure from configure.ac; needs autoconf, automake and libtool.
set -e
cd "$(dirname "$0")"
mkdir -p m4 build-aux
exec autoreconf --install --force "$@"
