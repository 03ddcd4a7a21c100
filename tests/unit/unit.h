/* What every unit test needs: cmocka, and an arena that memory checkers see
 * through. */
#ifndef EVENKEEL_TESTS_UNIT_H
#define EVENKEEL_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/arena.h"

#define UNIT_ARENA { .get = malloc, .put = free }

#endif
