# EK_MPI: finds MPICH, which builds the examples and runs the tests. Asked for
# by MPICH's own names, since another MPI may own plain mpicc and mpiexec.
AC_DEFUN([EK_MPI], [
AC_ARG_VAR([MPICC], [MPICH's C compiler wrapper])
AC_ARG_VAR([MPIFORT], [MPICH's Fortran compiler wrapper])
AC_ARG_VAR([MPIEXEC], [MPICH's Hydra mpiexec])
AC_PATH_PROGS([MPICC], [mpicc.mpich mpicc])
AC_PATH_PROGS([MPIFORT], [mpifort.mpich mpifort])
AC_PATH_PROGS([MPIEXEC], [mpiexec.hydra mpiexec.mpich mpiexec])
PKG_CHECK_MODULES([MPICH], [mpich], [have_mpich=yes], [have_mpich=no])
AS_IF([test -z "$MPICC" || test -z "$MPIEXEC"], [have_mpich=no])
AM_CONDITIONAL([HAVE_MPICH], [test "x$have_mpich" = xyes])
AM_CONDITIONAL([HAVE_MPIFORT], [test -n "$MPIFORT"])
])
