#compdef fpsynth
# zsh completion for fpsynth. The program itself says what may stand where; elsewhere, zsh completes
# file names.
local -a answers=("${(@f)$("$words[1]" --complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
answers=("${(@)answers//:/\\:}")
answers=("${(@)answers/$'\t'/:}")
if [[ -n $answers ]]; then
  _describe fpsynth answers
else
  _files
fi
