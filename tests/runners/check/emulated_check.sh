# gpu check on an emulated device: what is printed, and the exit status.
expect 0 emulated_check check
prints '^name +emulated device$'
prints '^ok +stages of 1 byte +[0-9.]+ s +28 components, '
prints '^ok +search cramped singles counted '
prints '^ok +Holt '
prints '^[0-9]+ ok in [0-9.]+ s$'

# One JSON object, whatever happens.
is_json() {
  perl -MJSON::PP -0777 -e '
    my $check = decode_json(<STDIN>);
    my ($status, $step, $of_step) = @ARGV;
    die "status $check->{status}" unless $check->{status} eq $status;
    my ($found) = grep { $_->{name} eq $step } @{$check->{steps}};
    die "$step: $found->{status}" unless $found->{status} eq $of_step;
    for my $one (@{$check->{steps}}) {
      die "seconds" unless $one->{seconds} >= 0 && defined $one->{detail};
    }
    die "schema" unless $check->{schema} eq "fpsynth-gpu-check";' "$@" <.out ||
    not_ok "not the JSON that was expected: $last"
}
expect 0 emulated_check check --json
is_json ok look-back ok
prints '"device": \{"name":"emulated device","memory_bytes":[0-9]+,"machine_code":true\}'

expect 1 emulated_check check --json --fault gfc:flips
is_json failed GFC failed
is_json failed Holt ok
says '^fpsynth: .*steps above'
expect 1 emulated_check check --fault gfc:flips
prints '^failed +GFC .*encoding kernels differ in byte 7040 of chunk 0: byte 7051 of 14091 is 0x04, not 0x00$'
prints '^[0-9]+ ok, 1 failed in '
expect 1 emulated_check check --json --fault codecs:dies
is_json failed Holt 'not run'

# A kernel that does not end: the process does, and the step is named.
expect 1 emulated_check check --json --limit 3 --fault codecs:hangs-decoding
is_json hung code ok
is_json hung 'stages of 8 bytes' hung
says 'does not answer'
expect 1 emulated_check check --limit 0.5 --fault codecs:hangs
prints '^hung +code '
says 'does not answer'
expect 0 emulated_check check --fault engines:cramped
prints '^skipped +search roomy doubles verified .* 58 KiB of shared memory, and there are 40$'
expect 2 emulated_check check --limit 0
says 'limit'
