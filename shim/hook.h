/* An exported function that stands in for another library's. */
#ifndef EVENKEEL_SHIM_HOOK_H
#define EVENKEEL_SHIM_HOOK_H

#define HOOK __attribute__((visibility("default")))

#endif
