"""Holds the JSON of a NAS kernel against the result block of the same run.

result.py JSON OUTPUT RANKS PLACES(0|1)
"""
import json
import re
import sys

path, output, ranks, places = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(path, encoding="ascii") as f:
    result = json.load(f)
with open(output, encoding="ascii") as f:
    block = dict(re.findall(r"^ (\S[^=\n]*?) *= *(\S.*)$", f.read(), re.M))

assert result["class"] == block["Class"]
assert "x".join("%4d" % n for n in result["size"]).strip() == block["Size"]
assert result["iterations"] == int(block["Iterations"])
assert result["ranks"] == ranks == int(block["Total processes"])
assert "%.2f" % result["seconds"] == block["Time in seconds"]
assert abs(result["mops"] - float(block["Mop/s total"])) < 0.006
assert abs(result["mops_per_rank"] * ranks - result["mops"]) < 0.001
assert result["operation"] == block["Operation type"]
assert result["verified"] == (block["Verification"] == "SUCCESSFUL")
assert result["verified"] == (result["error"] is not None
                              and result["error"] <= result["error_limit"])
assert (result["bytes_counted"] == 0) == (result["kernel"] == "EP")
assert 0 <= result["cpu_seconds"] <= 1.1 * ranks * result["seconds"] + 0.01
assert 0 <= result["setup_seconds"] < 600
assert result["peak_bytes_all_ranks"] >= result["peak_bytes_largest_rank"] > 1 << 20
assert result["planned_bytes_per_host"] >= 0
assert ("nodes" in result) == bool(places)
if places:
    assert sum(n["ranks"] for n in result["nodes"]) == ranks
    assert all(n["host"] and n["node"] >= 0 for n in result["nodes"])
    assert result["remote_share"] is None or 0 <= result["remote_share"] <= 1
