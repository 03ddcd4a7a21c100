# EK_WARNINGS: sets WARN_CFLAGS and SAN_CFLAGS for every product.
AC_DEFUN([EK_WARNINGS], [
WARN_CFLAGS="-std=gnu17 -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes"
AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
SAN_CFLAGS=
AS_IF([test "x$enable_sanitizers" = xyes],
	[SAN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"])
AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
AC_SUBST([WARN_CFLAGS])
AC_SUBST([SAN_CFLAGS])
])
