# Reads a NAS kernel's output and holds its result block to the layout of the
# NAS Parallel Benchmarks 3.4: two empty lines, the heading, twelve lines with a
# label of 16 columns, "=" in column 18 and a value that ends in column 43.
#
# awk -v kernel=MG -v class=S -v ranks=2 -v size='  32x  32x  32' -v iterations=4
#     -v operation='floating point' -v verification=SUCCESSFUL -f block.awk
# Exit status 0 when all of it is so; else 1, with the line that is not.

function wrong(why)
{
	if (!failed)
		printf "result block: %s, at '%s'\n", why, lines[at]
	failed = 1
}

# The next line: label, and a value of 24 columns; returns the value, trimmed.
function value(label,    line, text)
{
	line = lines[++at]
	if (substr(line, 1, 19) != sprintf(" %-16s= ", label))
		wrong("wanted the label '" label "'")
	if (length(line) != 43)
		wrong("wanted 43 columns, found " length(line))
	text = substr(line, 20)
	sub(/^ */, "", text)
	if (sprintf("%24s", text) != substr(line, 20))
		wrong("wanted the value at the right end")
	return text
}

function same(label, wanted,    text)
{
	text = value(label)
	if (text != wanted)
		wrong("wanted " wanted)
}

function number(label, pattern,    text)
{
	text = value(label)
	if (text !~ pattern)
		wrong("wanted a number like " pattern)
	return text + 0
}

{ lines[NR] = $0 }

END {
	heading = " " kernel " Benchmark Completed" (kernel == "IS" ? "" : ".")
	for (i = 1; i <= NR; i++)
		if (lines[i] ~ / Benchmark Completed/) {
			at = i
			found++
		}
	if (found != 1) {
		printf "result block: %d headings\n", found
		exit 1
	}
	if (lines[at] != heading)
		wrong("wanted '" heading "'")
	if (lines[at - 1] != "" || lines[at - 2] != "")
		wrong("wanted two empty lines before the heading")
	same("Class", class)
	sub(/^ */, "", size)
	same("Size", size)
	same("Iterations", iterations)
	seconds = number("Time in seconds", "^[0-9]+[.][0-9][0-9]$")
	same("Total processes", ranks)
	same("Active procs", ranks)
	total = number("Mop/s total", "^[0-9]+[.][0-9][0-9]$")
	each = number("Mop/s/process", "^[0-9]+[.][0-9][0-9]$")
	if (total <= 0 || each * ranks - total > 0.005 * (ranks + 1) ||
	    total - each * ranks > 0.005 * (ranks + 1))
		wrong("wanted total / processes")
	same("Operation type", operation)
	same("Verification", verification)
	if (value("Version") !~ /^evenkeel [0-9]+[.][0-9]+[.][0-9]+/)
		wrong("wanted evenkeel's version")
	if (value("Compile date") !~ /^[0-3][0-9] [A-Z][a-z][a-z] 20[0-9][0-9]$/)
		wrong("wanted a day")
	exit failed
}
