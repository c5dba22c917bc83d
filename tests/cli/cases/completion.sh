# bash, zsh and fish complete commands, options and their values, which the program tells them.
# --- the program -----------------------------------------------------------------------------------
# Every command that the reference names offers the commands and the options of its help.
while read -r command; do
  # shellcheck disable=SC2086 # words
  {
    expect 0 fpsynth $command --help
    sed -n 's/^  \(-[^ ]*\).*/\1/p' .out | tr , '\n' | grep -e -- | sort >options
    sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z0-9-]*\).*/\1/p' .out >commands
    expect 0 fpsynth --complete $command --
    [[ $(cut -f 1 .out | sort) == "$(<options)" ]] || not_ok "other options than those of the help: $last"
    expect 0 fpsynth --complete $command ""
    [[ $(cut -f 1 .out) == "$(<commands)" ]] || not_ok "other commands than those of the help: $last"
  }
done < <(
  sed -n 's/^## fpsynth//p' "${root:?}/docs/reference.md"
  echo
)

# --- bash ------------------------------------------------------------------------------------------
# shellcheck source=/dev/null
source "$root/runners/cli/completion.bash"
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
completes compress --effort q
[[ $out == quick ]] || not_ok "$last"
# Anything else may be a file: bash completes file names if nothing is offered.
completes compress --force in
[[ -z $out ]] || not_ok "$last"
[[ $(complete -p fpsynth) == *"-o default"* ]] || not_ok "no completion of file names"

# --- fish and zsh ----------------------------------------------------------------------------------
PATH=${fpsynth%/*}:$PATH
touch inputs
typed=("que" "query pip" "compress --forc" "compress --effort q" "compress --force inp")
whole=("query" "query pipeline" "compress --force" "compress --effort quick" "compress --force inputs")
# in_fish LINE and in_zsh LINE: what becomes of it when the user presses Tab.
in_fish() {
  HOME=$PWD fish -N -c "source $root/runners/cli/completion.fish; complete -C '$1'" 2>&1 | cut -f 1 |
    sed "s/^/${1% *} /"
}
# zsh completes on a terminal alone, which `script` makes. It gets Tab, and a key that ends it.
in_zsh() {
  rm -f line
  TERM=xterm TYPED=$1 ZDOTDIR=$PWD/zsh script -qec "zsh -d -i" /dev/null </dev/null >terminal 2>&1
  sed 's/ $//' line
}
mkdir zsh
cp "$root/runners/cli/completion.zsh" zsh/_fpsynth
cat >zsh/.zshrc <<'END'
fpath=($ZDOTDIR $fpath)
autoload -U compinit && compinit -u -D
show() { print -r -- "$BUFFER" >line; exit }
zle -N show
bindkey '^X' show
zle-line-init() { zle -U "$TYPED"$'\t\030' }
zle -N zle-line-init
END
for shell in fish zsh; do
  if ! command -v "$shell" >/dev/null || ! command -v script >/dev/null; then
    printf '%s is not here: completion is not tested with it\n' "$shell"
    continue
  fi
  for i in "${!typed[@]}"; do
    out=$("in_$shell" "fpsynth ${typed[i]}")
    [[ $out == "fpsynth ${whole[i]}" ]] || not_ok "$shell completes 'fpsynth ${typed[i]}'"
  done
done
