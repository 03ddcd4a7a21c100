#include "core/daemon.h"

#include <stddef.h>
#include <string.h>

bool daemon_is(const char *name)
{
	static const char daemons[][16] = {
	    "hydra_pmi_proxy", "pmi_proxy",	 "hydra_bstrap_pr", "mpispawn",	  "orted",
	    "orterun",	       "prted",		 "prterun",	    "prte",	  "mpirun",
	    "mpiexec",	       "mpirun.openmpi", "mpiexec.openmpi", "slurmstepd", "flux-shell",
	    "palsd",	       "jsmd",
	};

	for (size_t i = 0; i < sizeof(daemons) / sizeof(*daemons); i++)
		if (!strncmp(name, daemons[i], 15))
			return true;
	return false;
}
