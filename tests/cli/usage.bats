# Bad input is one line and status 2; pages and versions go to stdout.
load helper

TWO='numa:2 core:2 pu:1'

@test "a missing or unknown command is refused" {
	refused 2 ek
	refused 2 ek ''
	refused 2 ek nosuch
	refused 2 ek watch
	refused 2 ek -x
	refused 2 ek --nosuch
	refused 2 ek -v
	refused 2 ek -v plan
	refused 2 ek --version plan
	refused 2 ek $'two\nlines'
}

@test "an unknown option is refused by every command" {
	for command in run env machine plan compare simulate; do
		refused 2 ek $command --nosuch
		refused 2 ek $command -x
		refused 2 ek $command -xv
		refused 2 ek $command $'--two\nlines'
	done
}

@test "an option without its value is refused" {
	for option in width order mode bind mem machine kernel rule; do
		refused 2 ek run --$option
		refused 2 ek env --$option
		refused 2 ek plan -n 2 --$option
	done
	refused 2 ek plan -n
	refused 2 ek plan --busy
	refused 2 ek plan -n 2 --cpus
	refused 2 ek machine --machine
}

@test "a switch with a value that is none is refused" {
	refused 2 ek plan -n 2 --json=1
	refused 2 ek plan -n 2 --together=maybe
	refused 2 ek env --keep=2
	refused 2 ek run --report=yes true
	refused 2 ek run --help=yes
	refused 2 ek env --verbose=3
	refused 2 ek env --verbose=-1
	refused 2 ek env --verbose=x
}

@test "a bad value is refused by all commands alike" {
	for command in "run" "env" "plan -n 2" "compare" "simulate -n 2"; do
		for row in --width=0 --width=-1 --width=1.5 --width=16385 --width= --width=2x \
			--width=99999999999999999999 --order=Block --order=random --order= \
			--bind=core --bind=Slice --bind= --mem=first --mem=bind,0 --mem= \
			--mode=held --mode= --kernel=six --kernel= --kernel=6 --rule=G77 --rule= \
			--machine= --machine=/nosuch/file --machine=numa:x --machine=/ \
			--machine=/dev/null "--machine=evenkeel-machine 1" \
			"--machine=evenkeel-machine 1;node 0 cpus 1-0"; do
			refused 2 ek $command "$row"
		done
	done
}

@test "an option of another command is refused" {
	refused 2 ek run --json true
	refused 2 ek run --busy 1 true
	refused 2 ek run --cpus 1 true
	refused 2 ek env --cpus 1
	refused 2 ek run -n 2 true
	refused 2 ek env --report
	refused 2 ek env --json
	refused 2 ek machine --width 2
	refused 2 ek machine -n 2
	refused 2 ek plan -n 2 --report
	refused 2 ek plan -n 2 --keep
	refused 2 ek plan -n 2 --deny=ls
}

@test "a number of ranks that is none is refused" {
	refused 2 ek plan
	refused 2 ek plan --json
	for n in '' -1 +1 1.0 1e3 0x10 ' 1' '1 ' x 1048577 4294967296 18446744073709551617; do
		refused 2 ek plan -n "$n"
		refused 2 ek plan --ranks="$n"
		refused 2 ek simulate -n "$n"
	done
	# The command's own limits, whichever of them is passed.
	for n in 0 65537 1048577; do
		ek simulate -n $n 2>err || true
		grep -q "not a number of ranks from 1 to 65536" err
	done
}

@test "busy cpus that do not fit the machine are refused" {
	for busy in '' 1 1,2,3 , 1, ,1 1,,2 1,-2 1,x '1, 2' 1.5,2 1,1048577 \
		1,99999999999999999999; do
		refused 2 ek plan -n 2 --machine "$TWO" --busy "$busy"
	done
}

@test "cpus that are no list or none of the machine's are refused" {
	for cpus in '' ' ' , 0, x 0-x 3-1 0-2:2 -1 0--1 4 4-99 16384 0-99999999999999999999; do
		refused 2 ek plan -n 2 --machine "$TWO" --cpus "$cpus"
	done
}

@test "an argument too many is refused" {
	refused 2 ek env x
	refused 2 ek env -- x
	refused 2 ek plan -n 2 x
	refused 2 ek plan x -n 2
	refused 2 ek machine live live
	refused 2 ek machine "$TWO" x --json
}

@test "run without a command is refused" {
	refused 2 ek run
	refused 2 ek run --
	refused 2 ek run -v
	refused 2 ek run --report --
}

@test "a machine that is none is refused" {
	echo 'node 0 cpus 0-' >broken
	echo '<topology' >broken.xml
	for spec in '' nosuch /nosuch numa:0 broken broken.xml . /dev/null; do
		refused 2 ek machine "$spec"
		refused 2 ek machine --machine="$spec"
	done
}

@test "a broken text is refused with its line" {
	printf 'evenkeel-machine 1\nnode 0 cpus 0-1\nnode 1 cpus nonsense\n' >broken
	refused 2 ek machine broken
	grep -q 3 err
}

@test "standard output that is full is a failure" {
	[ -e /dev/full ] || skip "no /dev/full"
	for command in --version --help 'machine live' 'plan -n 2 --json'; do
		status=0
		ek $command >/dev/full 2>err || status=$?
		[ $status -eq 1 ]
		[ "$(wc -l <err)" -eq 1 ]
	done
}

@test "help is a page on stdout" {
	for command in '' run env machine plan compare simulate; do
		ek $command --help >out 2>err
		[ ! -s err ]
		grep -q '^Usage: evenkeel' out
		[ "$(awk 'length > 90' out | wc -l)" -eq 0 ]
		ek $command -h | cmp - out
	done
	ek plan -n x --help && return 1
	ek plan --help -n x --nosuch >/dev/null
}

@test "help speaks of nothing that is not there yet" {
	for command in '' run env machine plan compare simulate; do
		ek $command --help | grep -Ew 'watch|rebalance|doctor' && return 1
	done
	true
}

# long_options COMMAND: those of its help page, sorted.
long_options()
{
	ek "$1" --help | grep -o '^ .*' | grep -o -- ' --[a-z-]\+' | tr -d ' ' | sort -u
}

@test "every option on a help page is taken" {
	for command in run env machine plan compare simulate; do
		[ "$(long_options $command | wc -l)" -gt 3 ]
		for option in $(long_options $command); do
			ek $command $option --help >out 2>err || [ $? -eq 2 ]
			if grep -q 'unknown option' err; then
				return 1
			fi
		done
	done
}

@test "the version is one line, with -v those of the libraries follow" {
	[[ "$(ek --version)" =~ ^evenkeel\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[ "$(ek -V)" = "$(ek --version)" ]
	ek --version -v >out
	[ "$(ek -v --version)" = "$(cat out)" ]
	for library in hwloc libnuma jansson PMIx; do
		grep -q "$library" out
	done
}

@test "the completion knows the options of the help pages" {
	. "$EK_SRC/launcher/evenkeel.bash"
	for command in run env machine plan compare simulate; do
		COMP_WORDS=(evenkeel $command --) COMP_CWORD=2
		_evenkeel
		[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort)" = "$(long_options $command)" ]
	done
	COMP_WORDS=(evenkeel plan --order c) COMP_CWORD=3
	_evenkeel
	[ "${COMPREPLY[*]}" = cyclic ]
	COMP_WORDS=(evenkeel p) COMP_CWORD=1
	_evenkeel
	[ "${COMPREPLY[*]}" = plan ]
}

@test "the manual pages have the options of the help pages, and all sections" {
	[ -e "$EK_BUILD/launcher/evenkeel.1" ] || skip "built without the manual pages"
	for page in '' -run -env -machine -plan -compare -simulate; do
		file=$EK_BUILD/launcher/evenkeel$page.1
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS ENVIRONMENT '"EXIT STATUS"' EXAMPLES \
			LIMITS '"SEE ALSO"'; do
			grep -Eq "^\\.SH \"?${section//\"/}\"?\$" "$file"
		done
	done
	for command in run env machine plan compare simulate; do
		for option in $(long_options $command); do
			sed 's/\\//g' "$EK_BUILD/launcher/evenkeel-$command.1" | grep -qF -- "$option"
		done
	done
}
