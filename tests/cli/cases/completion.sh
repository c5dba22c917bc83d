# bash completes commands, options and their values as the program lists them.
# shellcheck source=/dev/null
source "${root:?}/runners/cli/completion.bash"
# completes WORD...: what bash would offer for the last word, in $out.
completes() {
  COMP_WORDS=("${fpsynth:?}" "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  last="completion of fpsynth $*"
  _fpsynth
  printf '%s\n' "${COMPREPLY[@]}" >.out
  out=$(<.out)
}
completes com
[[ $out == $'compress\ncompare' ]] || not_ok "$last"
completes ""
prints '^search$'
prints '^generate$'
completes query pip
[[ $out == pipeline ]] || not_ok "$last"
completes help query pip
[[ $out == pipeline ]] || not_ok "$last"
completes query top --pre
[[ $out == --precision ]] || not_ok "$last"
completes compress --f
[[ $out == --force ]] || not_ok "$last"
completes compress --precision s
[[ $out == single ]] || not_ok "$last"
# Anything else may be a file: bash completes file names if nothing is offered.
completes compress --force in
[[ -z $out ]] || not_ok "$last"
[[ $(complete -p fpsynth) == *"-o default"* ]] || not_ok "no completion of file names"
