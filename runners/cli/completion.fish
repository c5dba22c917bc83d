# fish completion for fpsynth. The program itself says what may stand where; elsewhere, fish completes
# file names.
function __fpsynth
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answers ($words[1] --complete $words[2..] "$current" 2>/dev/null)
    if test -n "$answers"
        printf '%s\n' $answers
    else
        __fish_complete_path "$current"
    end
end
complete -c fpsynth -f -a '(__fpsynth)'
