# bash completion for evenkeel(1)

_evenkeel_options()
{
	case $1 in
	run) echo "--width --order --mode --bind --mem --measure --remote --together --keep --machine --kernel
		--rule --replace-binding --report --verbose --help" ;;
	env) echo "--width --order --mode --bind --mem --measure --remote --together --keep --machine --kernel
		--rule --verbose --help" ;;
	machine) echo "--machine --json --verbose --help" ;;
	compare) echo "--runs --warmup --variants --schedule --timeout --setup --cooldown --record
		--from --metric --better --seed --fail-on --verbose --csv --markdown --json
		--plot --width --order --mode --bind --mem --measure --remote --together --keep --machine --kernel --rule
		--help" ;;
	plan) echo "--ranks --machine --kernel --rule --cpus --busy --width --order
		--mode --bind --mem --together --json --verbose --help" ;;
	simulate) echo "--ranks --runs --seed --launch --at --rows --with --without --machine --kernel
		--rule --cpus --busy --width --order --mode --bind --mem --together --gap-us --exec-us
		--start-us --setup-us --connect-us --between-us --serve-us --sleep-us --jitter --walk
		--unrelated --mb --even-seconds --bandwidth-share --json --plot --verbose --help" ;;
	esac
}

# Completes the value of option $1; false if it takes none that is known.
_evenkeel_value()
{
	case $1 in
	--order) COMPREPLY=($(compgen -W "block cyclic" -- "$cur")) ;;
	--mode) COMPREPLY=($(compgen -W "hold settle" -- "$cur")) ;;
	--bind) COMPREPLY=($(compgen -W "auto node slice" -- "$cur")) ;;
	--measure | --remote) COMPREPLY=($(compgen -W "on off" -- "$cur")) ;;
	--mem) COMPREPLY=($(compgen -W "local bind interleave none" -- "$cur")) ;;
	--machine) COMPREPLY=($(compgen -W "live" -- "$cur") $(compgen -f -- "$cur")) ;;
	--rule) COMPREPLY=($(compgen -W "G0 G1 G2 G3 G4a G4b G5 G6 G7 G8 G8b G9 v3 v4 v4.1
		v4.2 2015" -- "$cur")) ;;
	--variants) COMPREPLY=($(compgen -W "plain evenkeel hold settle bind-numa" -- "$cur")) ;;
	--schedule) COMPREPLY=($(compgen -W "abab random" -- "$cur")) ;;
	--metric) COMPREPLY=($(compgen -W "wall user system npb npb-time hackbench perf-bench
		tbench stream stress-ng-stream schbench unixbench unixbench-spawn ycsb" \
		-- "$cur")) ;;
	--launch) COMPREPLY=($(compgen -W "hydra threads spin sleep" -- "$cur")) ;;
	--with | --without) COMPREPLY=($(compgen -W "retry-init no-swap adjust-before-halve
		eighth allowed-limit late-blocked-load" -- "$cur")) ;;
	--better) COMPREPLY=($(compgen -W "lower higher" -- "$cur")) ;;
	--fail-on) COMPREPLY=($(compgen -W "spread slower" -- "$cur")) ;;
	--record | -o | --from | --plot) COMPREPLY=($(compgen -f -- "$cur")) ;;
	--runs | -r | --warmup | --timeout | --setup | --cooldown | --seed) COMPREPLY=() ;;
	--kernel | --cpus | --busy | --width | --ranks | -n) COMPREPLY=() ;;
	--at | --rows | --gap-us | --exec-us | --start-us | --setup-us | --connect-us | \
		--between-us | --serve-us | --sleep-us | --jitter | --unrelated | --mb | \
		--even-seconds | --bandwidth-share) COMPREPLY=() ;;
	*) return 1 ;;
	esac
}

_evenkeel()
{
	local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		COMPREPLY=($(compgen -W "run env machine plan compare simulate --help --version" -- "$cur"))
		return
	fi
	if [[ $command == run || $command == compare ]]; then
		# The wrapped command begins at the first word that is no option.
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			--width | --order | --mode | --bind | --mem | --measure | --remote | --machine | --kernel | --rule) ((i++)) ;;
			--runs | -r | --warmup | --variants | --schedule | --timeout | --setup | \
				--cooldown | --record | -o | --from | --metric | --better | --seed | \
				--fail-on | --plot) ((i++)) ;;
			--) ((i++)); break ;;
			-*) ;;
			*) break ;;
			esac
		done
		if [[ $i -lt $COMP_CWORD ]] && declare -F _command_offset >/dev/null; then
			_command_offset "$i"
			return
		fi
	fi
	_evenkeel_value "${COMP_WORDS[COMP_CWORD - 1]}" && return
	case $cur in
	-*) COMPREPLY=($(compgen -W "$(_evenkeel_options "$command")" -- "$cur")) ;;
	*)
		case $command in
		run | compare) COMPREPLY=($(compgen -c -- "$cur")) ;;
		machine) COMPREPLY=($(compgen -W "live" -- "$cur") $(compgen -f -- "$cur")) ;;
		esac
		;;
	esac
}
complete -F _evenkeel evenkeel
