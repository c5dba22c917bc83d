# gpu check on an emulated device: what is printed, and the exit status.
expect 0 emulated_check check
prints '^name +emulated device$'
prints '^ok +stages of 1 byte +[0-9.]+ s +31 components, 2 files each'
prints '^ok +search singles counted +[0-9.]+ s +[0-9]+ pipelines of 2 chunks in 6 layouts'
prints '^ok +Holt '
prints '^[0-9]+ ok in [0-9.]+ s$'

# is_json STATUS STEP STATUS: the last command printed one JSON object, with these statuses.
is_json() {
  python3 - "$@" <<'END_OF_TEST' || not_ok "not the JSON that was expected: ${last:?}"
import json, sys
status, step, of_step = sys.argv[1:]
check = json.load(open(".out"))
assert check["schema"] == "fpsynth-gpu-check", check["schema"]
assert check["status"] == status, check["status"]
assert [one["status"] for one in check["steps"] if one["name"] == step] == [of_step], step
assert all(one["seconds"] >= 0 and "detail" in one for one in check["steps"])
END_OF_TEST
}
expect 1 emulated_check check --json --fault gfc:flips
is_json failed look-back ok
is_json failed GFC failed
is_json failed Holt ok
prints '"device": \{"name":"emulated device","memory_bytes":[0-9]+,"machine_code":true\}'
prints '"GFC",.*1 chunk, dimensionality 1: encodes differently: byte 8819 of 17628 is 0xc6, not 0xc2"'
says '^fpsynth: .*steps above'
expect 1 emulated_check check --fault files:dies
prints '^failed +stages of 8 bytes .*illegal memory access'
prints '^not run +Holt '
prints '^1 ok, 1 failed, [0-9]+ not run in '

# A kernel that does not end: the process does, and the step is named.
expect 1 emulated_check check --json --limit 3 --fault files:hangs-decoding
is_json hung open ok
is_json hung 'stages of 8 bytes' hung
says 'does not answer'
expect 1 emulated_check check --limit 0.5 --fault files:hangs
prints '^hung +stages of 8 bytes '
says 'does not answer'
expect 2 emulated_check check --limit 0
says 'limit'
