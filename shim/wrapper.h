/* Understands a script that starts a proxy on another host: a user's or a site's
 * wrapper of ssh. */
#ifndef EVENKEEL_SHIM_WRAPPER_H
#define EVENKEEL_SHIM_WRAPPER_H

#include <stdbool.h>
#include <stddef.h>

enum starter {
	STARTER_UNKNOWN = 0,
	STARTER_SHELL,	/* hands its arguments, joined, to one shell on the other host */
	STARTER_DIRECT, /* hands them on as they are */
};

/* The name, without folders, of a program that is a remote shell. */
bool wrapper_is_remote_shell(const char *name, size_t len);

/* What a script does with its arguments, of which number proxy (1 = the first) and
 * all behind it are the proxy's command. It is understood when all of this holds, and
 * else STARTER_UNKNOWN:
 * - It is for a shell of the Bourne family.
 * - It calls one remote shell, or srun, or one shell with a text (-c), and nothing
 *   that might read the command once more; and what it calls is no script again.
 * - "$@" or $* stands in it once, and what is shifted off or named by number before
 *   is in front of the proxy, so that the proxy's command goes on whole, in its place.
 * - It has no loop, no function and no array, and does not name Hydra or a proxy.
 * So the command is read just as often as without the script. PATH is envp's. */
enum starter wrapper_starter(const char *text, unsigned int proxy, char *const *envp);

#endif
