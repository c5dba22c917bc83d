# README.md and docs/ keep their limits of length, their links lead somewhere, every command in them
# is one that the program has, and the README's examples print what it says.
pages=("$root/README.md" "$root"/docs/*.md)

# --- length --------------------------------------------------------------------------------------
# at_most LINES FILE
at_most() { (($(wc -l <"$root/$2") <= $1)) || not_ok "$2 has more than $1 lines"; }
at_most 150 README.md
at_most 250 CONTRIBUTING.md
(($(size "$root/README.md") <= 9000)) || not_ok "README.md has more than 9000 bytes"
for page in "$root"/docs/*.md; do
  [[ $page == */reference.md ]] || at_most 200 "docs/${page##*/}"
done

# --- links ---------------------------------------------------------------------------------------
# The anchors of a page: its headings as GitHub names them, and its <a id>.
anchors() {
  sed -nE 's/^#+ //p' "$1" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z0-9 \n_-' | tr ' ' '-'
  grep -oE '<a id="[^"]+"' "$1" | cut -d '"' -f 2
}
for page in "${pages[@]}" "$root/CONTRIBUTING.md"; do
  while read -r link; do
    file=${link%%#*}
    target=${page%/*}/$file
    [[ -n $file ]] || target=$page
    if [[ ! -e $target ]]; then
      not_ok "${page#"$root/"} links to $link, which is not there"
    elif [[ $link == *#* ]]; then
      grep -qxF -- "${link#*#}" <<<"$(anchors "$target")" ||
        not_ok "${page#"$root/"} links to $link, and that page has no such heading"
    fi
  done < <(grep -oE '\]\([^) ]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^https?:')
  # Files of the project that the text names in `…`, in Markdown's backquotes.
  # shellcheck disable=SC2016
  while read -r file; do
    [[ -e $root/$file ]] || not_ok "${page#"$root/"} names $file, which is not there"
  done < <(grep -oE '`(docs|components|synth|runners|analysis|configs|tests)/[A-Za-z0-9_./-]+`' "$page" | tr -d '`')
done
for page in "$root"/docs/*.md; do
  grep -qF "(docs/${page##*/})" "$root/README.md" || not_ok "README.md does not lead to docs/${page##*/}"
done

# --- commands ------------------------------------------------------------------------------------
# Every `fpsynth COMMAND [COMMAND]` has a help, and every --option stands in it.
explained() {
  local words name help option
  read -ra words <<<"${1%)}" # also in $(…)
  name=${words[1]}
  [[ $name == --* ]] && return
  set -- "$name"
  [[ $name =~ ^(query|data|bench|gpu|hdf5|baseline)$ ]] && set -- "$name" "${words[2]}"
  [[ ${words[2]} == sweep ]] && set -- "$@" "${words[3]}"
  help=$(fpsynth_help "$@") || { not_ok "$page: there is no command 'fpsynth $*'"; return; }
  for option in "${words[@]}"; do
    [[ $option == --?* ]] || continue
    grep -qE -- "(^|[ ,])${option%%=*}([ ,=]|\$)" <<<"$help" ||
      not_ok "$page: fpsynth $* has no option $option"
  done
}
declare -A helps
fpsynth_help() {
  [[ -v helps[$*] ]] || helps[$*]=$("$fpsynth" "$@" --help 2>/dev/null) || return
  printf '%s\n' "${helps[$*]}"
}
for page in "${pages[@]}"; do
  [[ $page == */reference.md ]] && continue
  while read -r line; do
    explained "$line"
  done < <(awk '/^```(sh|console)$/ { on = 1; next } /^```/ { on = 0 } on' "$page" |
    sed -e ':join' -e '/\\$/ { N; s/\\\n//; b join }' | sed 's/ #.*//' |
    grep -oP '(?<!-)fpsynth(-mpi)? [a-z][^|>]*')
done

# --- the reference -------------------------------------------------------------------------------
expect 0 cmake -DPROGRAM="$fpsynth" -DOUT="$PWD/reference.md" -P "$root/runners/cli/man.cmake"
cmp -s reference.md "$root/docs/reference.md" || not_ok "docs/reference.md is not what --help prints; make it with:
  cmake -DPROGRAM=\$PWD/build/dev/bin/fpsynth -DOUT=\$PWD/docs/reference.md -P runners/cli/man.cmake"

# --- the README's examples -----------------------------------------------------------------------
# Every `$ command` of its ```console blocks runs in one folder. Times and speeds differ from run to
# run; all else that is printed is in the README to the byte.
PATH=${fpsynth%/*}:$PATH
timeless() { sed -E 's/, [0-9.]+ m?s, [0-9.]+ [kMGT]? ?pipeline-bytes\/s$//; s/[ \r]+$//'; }
awk '/^```console$/ { on = 1; next } /^```/ { on = 0 } on' "$root/README.md" >wanted
while IFS= read -r command; do
  printf '$ %s\n' "$command"
  bash -c "$command" 2>&1 </dev/null || printf 'exit status %s\n' "$?"
done < <(sed -n 's/^\$ //p' wanted) >printed
out=$(diff <(timeless <wanted) <(timeless <printed)) err='' ||
  not_ok "the README's examples print something else (< README, > the program)"
[[ -s wanted ]] || not_ok "the README has no examples"
