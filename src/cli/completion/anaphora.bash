# Completion of anaphora(1) for bash.

_anaphora_traces() {
  local root=${ANAPHORA_TRACE_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/anaphora}
  local manifest
  for manifest in "$root"/*/manifest.json; do
    [[ -e $manifest ]] || continue
    manifest=${manifest%/manifest.json}
    printf '%s\n' "${manifest##*/}"
  done
}

_anaphora() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local commands="record replay stats dump ls ps rm verify pack races deps why view export simulate algorithms doctor version help"
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$current")
    return
  fi
  local command=${COMP_WORDS[1]} options="--help"
  case $command in
    help)
      mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
      return
      ;;
    record)
      # Behind the program's name, everything is the program's.
      local i=2
      while ((i < COMP_CWORD)); do
        case ${COMP_WORDS[i]} in
          -o | --output-trace-dir | --tenure | --yield-at-checks | --algorithm | --granularity | --max-threads | \
            --messages | --racing-after | --keep | --max-size | --timeout) ((i += 2)) ;;
          =) ((i += 2)) ;;
          -*) ((i += 1)) ;;
          *) break ;;
        esac
      done
      if ((i < COMP_CWORD)); then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      case $previous in
        -o | --output-trace-dir) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
        --tenure | --yield-at-checks | --granularity | --max-threads | --racing-after | --max-size | --timeout) return ;;
        --keep) mapfile -t COMPREPLY < <(compgen -W "always on-failure" -- "$current"); return ;;
        --messages) mapfile -t COMPREPLY < <(compgen -W "all wildcard racing auto" -- "$current"); return ;;
        --algorithm)
          mapfile -t COMPREPLY < <(compgen -W "$(anaphora algorithms 2> /dev/null | awk '{print $1}')" -- "$current")
          return
          ;;
      esac
      options+=" -o --output-trace-dir -q --quiet --progress --tenure --yield-at-checks --no-patch --children --until-failure --keep --max-size --timeout --algorithm --granularity --max-threads"
      options+=" --messages --racing-after --race-graph --contents --chaos"
      if [[ $current != -* ]]; then
        local kind=-c
        [[ $current == */* ]] && kind=-f
        mapfile -t COMPREPLY < <(compgen "$kind" -- "$current")
        return
      fi
      ;;
    replay)
      case $previous in
        --check) mapfile -t COMPREPLY < <(compgen -W "normal full" -- "$current"); return ;;
        --lamport) mapfile -t COMPREPLY < <(compgen -W "every traced process" -- "$current"); return ;;
        --trace-all) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        -x | --command) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        -i | --interpreter) mapfile -t COMPREPLY < <(compgen -W "mi dap console" -- "$current"); return ;;
        --timeout | --rank | -g | --goto | -s | --serve) return ;;
      esac
      options+=" -a --autopilot -g --goto -i --interpreter -s --serve -x --command -q --quiet -p --process --check --control-messages --lamport --rank --timeout --trace-all"
      ;;
    stats) options+=" --slots --ranks --optimal --json" ;;
    dump)
      case $previous in --slot | --rank | --limit | --bytes) return ;; esac
      options+=" --slot --rank --limit --bytes --json"
      ;;
    ps | verify) options+=" --json" ;;
    races)
      case $previous in
        --suppressions | --sarif) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        --timeout) return ;;
      esac
      options+=" --suppressions --sarif --timeout --json"
      ;;
    deps)
      case $previous in
        -o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        --timeout) return ;;
      esac
      options+=" --all --reduced --csv -o --output --timeout"
      ;;
    why)
      case $previous in --steps | --timeout) return ;; esac
      options+=" --steps --timeout --json"
      ;;
    view | export)
      case $previous in
        -o | --output | --references) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        --bytes) return ;;
      esac
      options+=" -o --output --bytes -q --quiet"
      if [[ $command == export ]]; then options+=" --perfetto"; else options+=" --references"; fi
      ;;
    pack)
      case $previous in -o | --output) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;; esac
      options+=" -o --output -q --quiet"
      ;;
    rm) options+=" --all" ;;
    ls)
      if [[ $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
      fi
      options+=" --json"
      ;;
    simulate)
      # "--algorithm=x" arrives as three words.
      local before=$previous
      [[ $previous == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}
      [[ $current == = ]] && current=
      case $before in
        --algorithm)
          mapfile -t COMPREPLY < <(compgen -W "$(anaphora algorithms 2> /dev/null | cut -d ' ' -f 1)" -- "$current")
          return
          ;;
        -d | --debug) mapfile -t COMPREPLY < <(compgen -W "0 1 2" -- "$current"); return ;;
        -b | --shift) return ;;
      esac
      options+=" --algorithm --all -a -o -n -l -c -r -m -b --shift -d --debug --serials -q --quiet -v --verbose -z --accesses"
      options+=" --json --csv"
      if [[ $current != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
      fi
      ;;
    doctor)
      mapfile -t COMPREPLY < <(compgen -W "--help --json --syscalls" -- "$current")
      return
      ;;
    algorithms | version)
      mapfile -t COMPREPLY < <(compgen -W "--help --json" -- "$current")
      return
      ;;
    *) return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$(_anaphora_traces) latest-trace" -- "$current"; compgen -d -- "$current")
  fi
}

complete -o filenames -F _anaphora anaphora
