# bash completion for fpsynth. The program itself says what may stand where; elsewhere, bash completes
# file names.
_fpsynth() {
  local IFS=$'\n' words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <(
    compgen -W "$("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null | cut -f 1)" -- "${words[-1]}"
  )
}
complete -o default -F _fpsynth fpsynth
