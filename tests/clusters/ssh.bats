#!/usr/bin/env bats
# Jobs that Hydra starts over ssh.

load "$EK_SRC/tests/clusters/cluster_help.bash"

setup_file() { cluster_up 4 && cluster_ssh_up; }
teardown_file() { cluster_down; }

setup()
{
	cluster_needs_ssh
	preload_setup
}

@test "hosts have names of their own and reach each other by ssh" {
	run on h0 "$H/ssh/ssh" h3 'hostname; cat '"$H/here/hostname"
	[ "$output" = "h3
h3" ]
}
