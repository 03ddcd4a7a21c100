#!/usr/bin/env bats
# A short search by libFuzzer, with ASan and UBSan: EK_FUZZ_SECONDS (1) per target.

load "$EK_SRC/tests/bats_help.bash"

setup() { ek_setup; }

@test "nothing is found in a short time" {
	local status=0
	mkdir -p "$EK_BUILD/tests/fuzz"
	"$EK_SRC/tests/fuzz/fuzz" -s "${EK_FUZZ_SECONDS:-1}" -d "$EK_BUILD/tests/fuzz/tmp" >"$T/out" 2>&1 ||
		status=$?
	[ $status != 77 ] || skip "$(cat "$T/out")"
	sed 's/^/# /' "$T/out" >&3
	cat "$T/out"
	[ $status = 0 ]
	[ "$(grep -c ' runs, ' "$T/out")" = 8 ]
}
