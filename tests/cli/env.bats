# `evenkeel env`: lines that any sh reads back as they were meant.
load helper

# reads_back SHELL TREE: what LD_PRELOAD is after the lines.
reads_back()
{
	"$1" -c 'eval "$("$1/launcher/evenkeel" env)"; printf %s "$LD_PRELOAD"' x "$2"
}

@test "without a library nothing is printed and the status is 1" {
	make_bare bare
	refused 1 bare/launcher/evenkeel env
}

@test "a path that ld.so would cut is refused" {
	for name in 'a blank' 'a:colon'; do
		make_tree "$name"
		refused 1 "$name/launcher/evenkeel" env
		grep -q 'blank or a colon' err
	done
}

@test "a library that ld.so would refuse, or die of, is refused" {
	local library=tree/shim/.libs/libevenkeel.so
	make_tree tree
	cp $library whole
	for size in 0 1 63 64 4096 $(($(stat -c %s whole) / 2)) $(($(stat -c %s whole) - 1)); do
		head -c "$size" whole >$library
		refused 1 tree/launcher/evenkeel env
		grep -q "$PWD/$library' is damaged" err
	done
	# Another class, another machine, no library.
	for byte in 4 16 18; do
		cp whole $library
		printf '\0177' | dd of=$library bs=1 seek=$byte conv=notrunc status=none
		refused 1 tree/launcher/evenkeel env
	done
	rm $library
	mkdir $library
	refused 1 tree/launcher/evenkeel env
	rmdir $library
	cp whole $library
	tree/launcher/evenkeel env
}

@test "odd paths are read back by sh and bash" {
	for name in plain "it's" 'dollar$HOME' 'back`ls`' 'semi;colon' 'star*' 'b\slash' \
		'"double"' '~' $'tab\there' 'üml'; do
		make_tree "$name"
		for shell in sh bash; do
			got=$(unset LD_PRELOAD; reads_back $shell "$PWD/$name" 2>/dev/null)
			[ "$got" = "$PWD/$name/shim/.libs/libevenkeel.so" ]
		done
	done
}

@test "other preloads stay behind ours" {
	make_tree tree
	tree/launcher/evenkeel env >lines
	for shell in sh bash; do
		got=$($shell -c 'LD_PRELOAD="/a b:/c"; . ./lines; unset -f x; eval "echo \"\$LD_PRELOAD\""' \
			2>/dev/null)
		[ "$got" = "$PWD/tree/shim/.libs/libevenkeel.so:/a b:/c" ]
	done
}

@test "each given option is a variable, and only those" {
	make_tree tree
	tree/launcher/evenkeel env >lines
	[ "$(wc -l <lines)" -eq 1 ]
	tree/launcher/evenkeel env --width 4 --order cyclic --mode settle --together --keep \
		--kernel 6.12.117 --rule G8b -v --machine 'numa:2 core:1 pu:1' --width=5 >lines
	[ "$(wc -l <lines)" -eq 10 ]
	for shell in sh bash; do
		$shell -c '. ./lines; unset LD_PRELOAD; env' | grep ^EVENKEEL_ | sort >got
		grep -qx EVENKEEL_WIDTH=5 got
		grep -qx EVENKEEL_ORDER=cyclic got
		grep -qx EVENKEEL_MODE=settle got
		grep -qx EVENKEEL_TOGETHER=1 got
		grep -qx EVENKEEL_KEEP=1 got
		grep -qx EVENKEEL_KERNEL=6.12.117 got
		grep -qx EVENKEEL_RULE=G8b got
		grep -qx EVENKEEL_VERBOSE=2 got
		grep -qx 'EVENKEEL_MACHINE=evenkeel-machine 1;node 0 cpus 0;.*' got
	done
}

@test "a machine file becomes its text, which is the same machine" {
	make_tree tree
	ek machine 'numa:2 core:3 pu:2' >file
	eval "$(tree/launcher/evenkeel env --machine file | grep MACHINE)"
	rm file
	[ "$(ek machine)" = "$(ek machine 'numa:2 core:3 pu:2')" ]
	[ "$(ek machine "$EVENKEEL_MACHINE")" = "$(ek machine 'numa:2 core:3 pu:2')" ]
}

@test "a machine too large for a variable is refused" {
	make_tree tree
	{
		echo evenkeel-machine 1
		for ((i = 0; i < 300; i++)); do
			echo "node $i cpus $i"
		done
		for ((i = 0; i < 300; i++)); do
			printf 'distance %d' $i
			for ((j = 0; j < 300; j++)); do
				printf ' %d' $((i == j ? 10 : 20))
			done
			echo
		done
	} >file
	refused 2 tree/launcher/evenkeel env --machine file
	refused 2 tree/launcher/evenkeel run --machine file true
}

@test "what env says run does too" {
	make_tree tree
	tree/launcher/evenkeel env --width 3 --order cyclic >lines
	sh -c '. ./lines; exec env' | grep -E '^(EVENKEEL_|LD_PRELOAD)' | sort >want
	tree/launcher/evenkeel run --width 3 --order cyclic env |
		grep -E '^(EVENKEEL_|LD_PRELOAD)' | sort >got
	cmp want got
}
