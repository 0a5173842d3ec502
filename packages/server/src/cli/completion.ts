import { shellQuote } from '@mcp-toolkits/auth/account'
import type { ServerDefinition } from '../definition.ts'
import { type Command, print, UsageError } from './command.ts'
import { candidatesFor } from './completion-candidates.ts'
import { isInstalled, invocationOf } from './invocation.ts'

/** Prints what completes the command in a shell. What it prints calls the command again, with the words typed so far. */
export const completion: Command = async (definition, line, console) => {
  const [shell = '', ...words] = line.operands
  if (shell === 'words') {
    const candidates = candidatesFor(definition, line.settings, words)
    await print(console.output, candidates.map(({ value, text = '' }) => `${value}\t${text}`).join('\n'))
    return 0
  }
  if (!Object.hasOwn(scripts, shell) || words.length > 0) throw new UsageError('completion needs one shell: bash, zsh or fish.')
  const { program } = console
  const command = isInstalled(program) ? invocationOf(definition, console) : `${shellQuote(process.execPath)} ${shellQuote(program)}`
  const script = scripts[shell]?.(`${definition.name}-mcp`, `${command} completion words --`) ?? ''
  if (console.output.isTTY === true) await print(console.errors, `# ${installHints[shell]?.(definition) ?? ''}`)
  await print(console.output, script)
  return 0
}

type Name = Pick<ServerDefinition<never>, 'name'>

/** What a person does with the script. */
const installHints: Readonly<Record<string, (definition: Name) => string>> = {
  bash: ({ name }) => `Put this line into ~/.bashrc: source <(${name}-mcp completion bash)`,
  zsh: ({ name }) => `Put this line into ~/.zshrc, behind compinit: source <(${name}-mcp completion zsh)`,
  fish: ({ name }) => `Run this once: ${name}-mcp completion fish > ~/.config/fish/completions/${name}-mcp.fish`,
}

type Script = (name: string, call: string) => string

const functionOf = (name: string) => `_${name.replaceAll('-', '_')}`

/** https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html */
const bash: Script = (name, call) => `${functionOf(name)}() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    line="\${line%%$'\\t'*}"
    [ -n "$line" ] && COMPREPLY+=("$(printf '%q' "$line")")
  done < <(${call} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F ${functionOf(name)} ${name}`

/** https://zsh.sourceforge.io/Doc/Release/Completion-System.html */
const zsh: Script = (name, call) => `#compdef ${name}
${functionOf(name)}() {
  local line
  local -a values shown
  for line in "\${(@f)$(${call} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  }")
  done
  if (( $#values )); then compadd -l -d shown -a values; else _files; fi
}
compdef ${functionOf(name)} ${name}`

/** https://fishshell.com/docs/current/completions.html */
const fish: Script = (name, call) => `function ${functionOf(name)}
  set -l words (commandline -opc) (commandline -ct)
  set -l found (${call} $words[2..-1] 2>/dev/null)
  if test -n "$found"
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${name} -f -a '(${functionOf(name)})'`

const scripts: Readonly<Record<string, Script>> = { bash, zsh, fish }
