/**
 * The completion script for bash. It needs nothing but bash, 3.2 or later, and may be sourced again.
 *
 * Bash cuts words at `=` and `:` too, so the line is split here at spaces, and the text before
 * the last cut is removed from each word that the program offers.
 */
export const BASH_COMPLETION = `# Completion for inferometer: source <(inferometer complete bash)
_inferometer() {
  local current=\${COMP_WORDS[COMP_CWORD]} last line directive="" before
  local -a words
  read -ra words <<< "\${COMP_LINE:0:COMP_POINT}"
  case "\${COMP_LINE:0:COMP_POINT}" in *[[:space:]]) words+=("") ;; esac
  case "$current" in = | :) current="" ;; esac
  last=\${words[\${#words[@]} - 1]}
  before=\${last%"$current"}
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :*) directive=\${line#:} ;;
      "$last"*) line=\${line%%$'\\t'*}; COMPREPLY+=("\${line#"$before"}") ;;
    esac
  done < <("\${1/#\\~/$HOME}" complete -- "\${words[@]:1}" 2> /dev/null)
  local IFS=$'\\n'
  case "$directive" in
    0) COMPREPLY+=($(compgen -f -- "$current")); compopt -o filenames 2> /dev/null ;;
    16) COMPREPLY+=($(compgen -d -- "$current")); compopt -o filenames 2> /dev/null ;;
  esac
}
complete -F _inferometer inferometer
`;
