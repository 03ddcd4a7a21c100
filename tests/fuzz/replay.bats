#!/usr/bin/env bats
# The corpus of each fuzz target, each input also cut and with bits changed, with
# whatever compiler and checkers this build has.

load "$EK_SRC/tests/bats_help.bash"

setup() { ek_setup; }

# replays TARGET [FOLDER]
replays()
{
	"$EK_BUILD/tests/fuzz/replay_$1" "${2:-$EK_SRC/tests/fuzz/corpus/$1}" >"$T/out" 2>"$T/err" || {
		tail -n 20 "$T/out" "$T/err"
		return 1
	}
}

@test "a folder without inputs is a failure" {
	mkdir "$T/none"
	! replays cpus "$T/none"
	! replays cpus "$T/nowhere"
}
@test "command lines with --busy" { replays busy; }
@test "cpu lists" { replays cpus; }
@test "ledgers" { replays ledger; }
@test "machine texts" { replays machine; }
@test "markers of ranks" { replays marker; }
@test "options, site files and environments" { replays options; }
@test "files of /proc" { replays proc; }
@test "files of /sys" { replays sys; }
@test "recorded machines" {
	mkdir "$T/machines"
	find "$EK_SRC/tests/machines" -name '*.sys' -size -8 -exec cp -t "$T/machines" {} +
	replays sys "$T/machines"
}
