// The completion scripts of the shells. Each script calls `actorctl __complete` for the words. In a start-up file a
// script may outlive the program. Without the program it does nothing: some shells would search the packages of the
// system for an unknown command.

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** Works in bash 3.2, the version of macOS. */
const bash = `_actorctl() {
  local kind="" word rest
  COMPREPLY=()
  type actorctl >/dev/null 2>&1 || return 0
  while IFS=$'\\t' read -r word rest; do
    if [ -z "$kind" ]; then kind="$word"; else COMPREPLY[\${#COMPREPLY[@]}]="$word"; fi
  done < <(actorctl __complete bash ":$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case "$kind" in
    files | folders)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        COMPREPLY[\${#COMPREPLY[@]}]="$word"
      done < <([ "$kind" = files ] && compgen -f -- "$2" || compgen -d -- "$2")
      ;;
  esac
}
complete -F _actorctl actorctl
`;

const zsh = `if ! (( $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
_actorctl() {
  local -a lines candidates
  local line
  whence actorctl >/dev/null || return 1
  lines=("\${(@f)$(actorctl __complete zsh ":\${(Q)PREFIX}" "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  case "$lines[1]" in
    files) _files; return ;;
    folders) _files -/; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line:#*$'\\t'*}:+:\${line#*$'\\t'}}")
  done
  _describe -V actorctl candidates
}
compdef _actorctl actorctl
`;

const fish = `function __actorctl_complete
  type -q actorctl; or return
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l lines (actorctl __complete fish ":$current" $words[2..-1] 2>/dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path "$current"
    case folders
      __fish_complete_directories "$current"
    case words
      string join \\n -- $lines[2..-1]
  end
end
complete -c actorctl -f -k -a '(__actorctl_complete)'
`;

const powershell = `Register-ArgumentCompleter -Native -CommandName actorctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  if (-not (Get-Command actorctl -ErrorAction Ignore)) { return }
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($wordToComplete -eq '' -and $_.Extent.EndOffset -le $cursorPosition) } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.ToString() } })
  $lines = @(& actorctl __complete powershell ":$wordToComplete" @words 2>$null)
  # Without a result PowerShell completes names of files.
  $lines | Select-Object -Skip 1 | ForEach-Object {
    $word, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
  }
}
`;

export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
