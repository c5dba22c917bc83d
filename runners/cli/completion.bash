# bash completion for fpsynth. It asks the program itself, so that it knows each version's commands,
# options and their values; elsewhere, bash completes file names.
_fpsynth() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local help names line i command=()
  help=$("$program" --help 2>/dev/null)
  for ((i = 1; i <= COMP_CWORD; i++)); do
    names=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z0-9-]*\).*/\1/p' <<<"$help")
    if ((i < COMP_CWORD)) && grep -qxF -e "${COMP_WORDS[i]}" <<<"$names"; then
      command+=("${COMP_WORDS[i]}")
      help=$("$program" "${command[@]}" --help 2>/dev/null)
    fi
  done
  if [[ $before == --* ]]; then
    line=$(grep -E -e "^  (-[^ ]*,)?$before " <<<"$help")
    [[ $line =~ \{([^}]*)\} ]] && names=${BASH_REMATCH[1]//,/ }
  fi
  if [[ $current == -* ]]; then
    names=$(sed -n 's/^  \(-[^ ]*\).*/\1/p' <<<"$help" | tr , ' ')
  fi
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
}
complete -o default -F _fpsynth fpsynth
