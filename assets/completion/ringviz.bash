# bash completion for ringviz
_ringviz() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i option=""
    COMPREPLY=()

    # After "--" a command and its arguments follow.
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            else
                COMPREPLY=($(compgen -c -- "$cur") $(compgen -f -- "$cur"))
            fi
            return
        fi
    done

    # "--view=3d" comes as one word or, where "=" breaks words, as three.
    if [[ $cur == --*=* ]]; then
        option=${cur%%=*} cur=${cur#*=}
    elif [[ $cur == = && $prev == --* ]]; then
        option=$prev cur=""
    elif [[ $prev == = && COMP_CWORD -ge 2 ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    case $option in
    --report) COMPREPLY=($(compgen -W "text csv json" -- "$cur")) ;;
    --diff) COMPREPLY=($(compgen -W "text csv json window" -- "$cur")) ;;
    --spans) COMPREPLY=($(compgen -W "csv json" -- "$cur")) ;;
    --export)
        COMPREPLY=($(compgen -W "chrome: perfetto: folded: speedscope:" -- "$cur"))
        compopt -o nospace 2>/dev/null
        ;;
    --theme) COMPREPLY=($(compgen -W "dark light" -- "$cur")) ;;
    --view) COMPREPLY=($(compgen -W "3d aligned flame top" -- "$cur")) ;;
    --policy) COMPREPLY=($(compgen -W "block switch fill ring" -- "$cur")) ;;
    --import) COMPREPLY=($(compgen -W "chrome strace perf folded uftrace ringbuffer rrtrace perl" -- "$cur")) ;;
    --clock) COMPREPLY=($(compgen -W "tsc tick monotonic" -- "$cur")) ;;
    --bench) COMPREPLY=($(compgen -W "ring drain scan lod codec replay render export overhead control" -- "$cur")) ;;
    --output | --record | --merge | --repair | --screenshot | --trace-file)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur"))
        ;;
    "" | --control)
        if [[ $cur == -* ]]; then
            COMPREPLY=($(compgen -W "--headless --report --spans --export= --diff --merge= --fail-on-loss --force --info --check --repair= --output=
                --record --record-limit= --trigger= --trigger-keep= --screenshot= --frames= --video= --fps= --speed= --view= --color= --theme= --size= --at= --window= --find= --filter= --from= --to= --policy=
                --drain-interval= --ring-events= --rings= --slots= --slot-size= --message-size= --global-size=
                --trace-file= --include= --exclude= --max-depth= --duration= --import= --rrtrace= --perl-pid= --control= --clock=
                --threads= --memory= --bench --json --verbose --version --help" -- "$cur"))
            [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
        else
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$cur"))
        fi
        ;;
    esac
}
complete -F _ringviz ringviz
