import { descriptionOf } from '@mcp-toolkits/core/base'
import { shellQuote } from '../../account/account.ts'
import type { ServerDefinition, Settings } from '../../mcp/definition.ts'
import { listing, withoutPrefix } from '../../mcp/listing/listing.ts'
import { describedOptions } from '../options/option-texts.ts'
import { options, optionsOf } from '../options/option-table.ts'
import type { Option } from '../options/option.ts'
import { flagOf, parametersOf, typesOf, valuesOf } from '../call/call-line.ts'
import { clients } from '../clients/clients.ts'
import { commandNames, commandsWith } from '../options/command-options.ts'
import { print, UsageError } from '../command.ts'
import type { Command } from './command-type.ts'
import { usagesOf } from '../options/usages.ts'
import { invocationOf, isInstalled } from '../invocation.ts'

/** Prints the script that completes the command in a shell. The script calls the command again, with the words typed so far. */
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

/** Instructions for the person who installs the script. */
const installHints: Readonly<Record<string, (definition: Name) => string>> = {
  bash: ({ name }) => `Put this line into ~/.bashrc: source <(${name}-mcp completion bash)`,
  zsh: ({ name }) => `Put this line into ~/.zshrc, after compinit: source <(${name}-mcp completion zsh)`,
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

/** A word that can stand at the cursor, with its meaning. */
export interface Candidate {
  readonly value: string
  readonly text?: string
}

/** Candidates for the last of `words`, the words on a command line after its command; the last can be empty. */
function candidatesFor<Context>(definition: ServerDefinition<Context>, settings: Settings, words: readonly string[]): Candidate[] {
  const { before, option, current } = divide(words)
  const allOptions = optionsOf(definition).map(([, each]) => each)
  const matching = (candidates: readonly Candidate[]) => candidates.filter(({ value }) => value.startsWith(current))
  const { command, tool } = positionsOf(before, allOptions)
  const shown = listing(definition, { ...settings, readOnly: settings.readOnly || before.includes('--read-only') })
  const name = tool === undefined ? undefined : (shown.find(tool) ?? shown.find(`${definition.prefix}.${tool}`))?.name
  const found = shown.tools.find(({ _meta }) => _meta['mcp-toolkits/name'] === `${definition.prefix}.${name ?? ''}`)
  const parameters = command === 'call' && found ? [...parametersOf(found)] : []
  const valueOf = option?.replace(/^--/, '')
  if (valueOf !== undefined) {
    const schema = parameters.find(([parameter]) => flagOf(parameter) === option)?.[1]
    if (schema && !typesOf(schema).includes('boolean')) return matching(valuesOf(schema).map((value) => ({ value })))
    const known = allOptions.find((each) => each.name === valueOf)
    if (known && known.kind !== options.embedded.kind) return matching(choicesOf(known))
  }
  if (current.startsWith('-')) {
    const flags = parameters.flatMap(([parameter, schema]) => {
      const text = firstLine(descriptionOf(schema) ?? '')
      const value = flagOf(parameter)
      return typesOf(schema).includes('boolean')
        ? [
            { value, text },
            { value: `--no-${value.slice(2)}`, text },
          ]
        : [{ value, text }]
    })
    return matching([...flags, ...optionsFor(definition, command)])
  }
  if (command === undefined)
    return matching(commandNames(definition).map((value) => ({ value, text: commandDescription(definition, value) })))
  if ((command === 'call' || command === 'tools') && tool === undefined) {
    return matching(shown.tools.map((each) => ({ value: withoutPrefix(each.name, definition.prefix), text: each.title })))
  }
  if (tool !== undefined) return []
  if (command === 'config') return matching(Object.entries(clients).map(([value, { title }]) => ({ value, text: title })))
  if (command === 'completion') return matching(['bash', 'zsh', 'fish'].map((value) => ({ value })))
  return matching(actionsOf(definition, command))
}

/** The words before the cursor, the option whose value is being typed, and the beginning of the word. bash splits words at `=`. */
function divide(words: readonly string[]) {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (current === '=') return { before, option: before.at(-1), current: '' }
  if (before.at(-1) === '=') return { before: before.slice(0, -1), option: before.at(-2), current }
  const last = before.at(-1)
  return { before, option: last?.startsWith('--') === true && !last.includes('=') ? last : undefined, current }
}

/** The command and its first operand among complete words. Values of known options are skipped. */
function positionsOf(words: readonly string[], allOptions: readonly Option[]): { readonly command?: string; readonly tool?: string } {
  const [command, tool] = words.filter((word, index) => {
    const option = allOptions.find(({ name }) => words[index - 1] === `--${name}`)
    return !word.startsWith('-') && word !== '=' && (!option || option.kind === options.embedded.kind)
  })
  return { ...(command !== undefined && { command }), ...(tool !== undefined && { tool }) }
}

/** The values of an option that allows only a few: the words in its requirement, "one of a, b". */
function choicesOf({ name, kind }: Option): Candidate[] {
  if (name === options.seed.name) return ['company', 'edge-cases', 'empty'].map((value) => ({ value }))
  const [, list] = /^one of (.*)$/.exec(kind.text) ?? []
  return (list?.split(', ') ?? []).map((value) => ({ value }))
}

/** The options that work with a command, or with every one. */
function optionsFor<Context>(definition: ServerDefinition<Context>, command = 'stdio'): Candidate[] {
  const texts = new Map(describedOptions(definition).map(({ name, help }) => [name, help]))
  return optionsOf(definition).flatMap(([key, { name, needsAccount }]) => {
    const isUsable = (commandsWith(key, definition)?.includes(command) ?? true) && (!needsAccount || definition.account !== undefined)
    return isUsable ? [{ value: `--${name}`, text: firstLine(texts.get(name) ?? '') }] : []
  })
}

const commandDescription = <Context>(definition: ServerDefinition<Context>, command: string) =>
  firstLine(usagesOf(definition, command)[0]?.description ?? '')

/** The words that may follow a command according to its usage: `list`, `retry` and `drop` for `outbox list | retry [ID] | drop ID`. */
function actionsOf<Context>(definition: ServerDefinition<Context>, command: string): Candidate[] {
  const words = usagesOf(definition, command).flatMap(({ usage }) => {
    const alternatives = usage.split(' ').slice(2).join(' ').split(' | ')
    return alternatives.flatMap((alternative) => /^[a-z]{2,}(?= |$)/.exec(alternative) ?? [])
  })
  return [...new Set(words)].map((value) => ({ value }))
}

const firstLine = (text: string) => text.split(/[\n;]|\. /)[0] ?? ''
