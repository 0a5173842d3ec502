import { homedir } from 'node:os'
import path from 'node:path'
import { count, joinWords, quote } from '@mcp-toolkits/core/errors'
import type { Environment } from '@mcp-toolkits/core/upstream'
import { shellQuote } from '../../account/account.ts'
import type { ServerDefinition } from '../../mcp/definition.ts'
import { type Client, clients, type ServerEntry, type StartCommand } from '../clients/clients.ts'
import { type Console, print, UsageError } from '../command.ts'
import type { Command } from './command-type.ts'
import { suggestionOf } from '../failure.ts'
import { withInvocation, isInstalled, isScript } from '../invocation.ts'
import { misspeltVariables, unusedVariables } from '../checks/settings-warnings.ts'

/** Prints one client's configuration and, on standard error, where to put it; or writes it there. */
export const config: Command = async (definition, { operands, forwarded, write }, console) => {
  const [name = '', ...rest] = operands
  const client = Object.hasOwn(clients, name) ? clients[name] : undefined
  if (!client) throw missingClient(name)
  const url = rest.find((operand) => /^https?:\/\//.test(operand))
  const env = readVariables(
    rest.filter((operand) => operand !== url),
    console.environment,
  )
  const [useless] = [...(await misspeltVariables(definition, env)), ...(await unusedVariables(definition, env))]
  if (useless !== undefined) throw new UsageError(useless)
  if (url !== undefined && (Object.keys(env).length > 0 || forwarded.length > 0)) {
    throw new UsageError('A server that runs elsewhere has its own variables and options: give only its URL.')
  }
  const { command, args } = start(definition, console.program)
  const entry: ServerEntry =
    url === undefined ? { command, args: [...args, ...forwarded], ...(Object.keys(env).length > 0 && { env }) } : { url }
  const text = client.text(definition.shortName, entry)
  if (text === undefined) throw new UsageError(`${client.title} does not read URLs from its configuration. Add the server in its settings.`)
  if (write) {
    await print(
      console.errors,
      await writeEntry(client, {
        name: definition.shortName,
        entry,
        directory: projectDirectory(definition, client, console),
        appData: console.environment['APPDATA'] ?? '',
      }),
    )
    return 0
  }
  const place = client.language === 'sh' ? 'Run this once in a shell.' : `Put this into ${client.where}.`
  // A server that runs elsewhere has its own account.
  await print(console.errors, url === undefined ? `${place} ${withInvocation(definition, console)(String(definition.connectHint))}` : place)
  if (client.language === 'sh' && Object.keys(env).length > 0) {
    const history = "stays in your shell's history once run. Delete it there if others can read the history."
    await print(console.errors, `The line contains ${valuesOf(env)}, and ${history}`)
  }
  await print(console.output, text)
  return 0
}

/** The error that proposes a client for a word, or lists them all. */
function missingClient(written: string): UsageError {
  const names = Object.keys(clients)
  if (written === '') return new UsageError(`config needs one client: ${names.join(', ')}.`)
  return new UsageError(`There is no client ${quote(written)}.${suggestionOf(written, names) || ` Clients: ${names.join(', ')}.`}`)
}

/**
 * The variables given as `NAME=VALUE`, or as `NAME` to take the value from this environment, so that it need not be typed where others
 * could read it.
 */
function readVariables(operands: readonly string[], environment: Environment): Record<string, string> {
  const entries = operands.map((operand) => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(operand) ?? []
    if (name === undefined)
      throw new UsageError(`${quote(operand)} is neither a variable, such as NAME=VALUE or NAME, nor the URL of a server.`)
    const found = value ?? environment[name]
    if (found === undefined) throw new UsageError(`${name} is not set here. Set it, or give its value: ${name}=VALUE.`)
    return [name, found] as const
  })
  return Object.fromEntries(entries)
}

interface NewEntry {
  readonly name: string
  readonly entry: ServerEntry
  /** The person's working directory. */
  readonly directory: string
  readonly appData: string
}

/** The directory in which the person typed the command: npm runs a script in its package's folder. */
function workingDirectory(definition: Pick<ServerDefinition<never>, 'name'>, console: Pick<Console, 'environment'>): string {
  const typedIn = isScript(definition, console) ? console.environment['INIT_CWD'] : undefined
  return typedIn ?? process.cwd()
}

/** The directory for a project's file. Throws `UsageError` in a clone of this repository, where running the command must be a mistake. */
function projectDirectory(
  definition: Pick<ServerDefinition<never>, 'name'>,
  { title, where, isInProject }: Client,
  console: Console,
): string {
  const directory = workingDirectory(definition, console)
  const isClone = !path.relative(process.cwd(), directory).startsWith('..')
  if (isInProject !== true || !isScript(definition, console) || !isClone) return directory
  const [client] = Object.entries(clients).find(([, each]) => each.title === title) ?? []
  throw new UsageError(
    `${title} reads ${where} in a project's folder, and this folder is the clone of the server. Go to your project's folder, and run: npm --prefix ${shellQuote(process.cwd())} run -s ${definition.name} -- config ${client ?? ''} --write.`,
  )
}

/** Writes the entry to the client's file. Returns a sentence about it. */
async function writeEntry(
  { title, where, file, member, isInProject }: Client,
  { name, entry, directory, appData }: NewEntry,
): Promise<string> {
  const found = member?.(name, entry)
  if (!file || !found) throw new UsageError(`${title}'s configuration can only be printed, because it goes into ${where}.`)
  const { writeMember } = await import('../clients/client-file.ts')
  const target = file({ platform: process.platform, home: homedir(), workingDirectory: directory, appData })
  const other = 'url' in entry ? { command: '', args: [], env: {} } : { url: '' }
  const foreign = Object.keys(member?.(name, other)?.value ?? {}).filter((key) => !Object.hasOwn(found.value, key))
  const written = await writeMember(target, { ...found, foreign }, isInProject && directory)
  const { others, updated, mode } = written
  const place = written.target === target ? target : `${target}, which leads to ${written.target}`
  const beside = others === 0 ? '' : `${written.target === target ? '' : ','} beside ${count(others, 'other server')}`
  const done = `${updated ? `Updated "${name}" in` : `Added "${name}" to`} ${place}${beside}. Restart ${title}, or have it reload its configuration.`
  const { env } = 'url' in entry ? {} : entry
  if (!env) return done
  const isReadable = process.platform !== 'win32' && (mode & 0o077) !== 0
  return [
    done,
    ...(isInProject || isReadable ? [`The file now contains ${valuesOf(env)}.`] : []),
    ...(isInProject ? ["It is in a project's folder: keep it out of version control."] : []),
    ...(isReadable ? [`Other users of this machine can read it: \`chmod 600 ${shellQuote(target)}\` changes that.`] : []),
  ].join(' ')
}

/** Text about the variables in a configuration, without their values. */
function valuesOf(env: Readonly<Record<string, string>>): string {
  const names = Object.keys(env)
  return `the ${names.length === 1 ? 'value' : 'values'} of ${joinWords(names)}`
}

/** For an installed package, the npx command, because it stays up to date; for a clone, this Node and this file. */
function start({ name }: Pick<ServerDefinition<never>, 'name'>, program: string): StartCommand {
  return isInstalled(program) ? npxCommand(name) : { command: process.execPath, args: [program] }
}

/** The command that starts a server's published package. */
export function npxCommand(name: string): StartCommand {
  return { command: 'npx', args: ['-y', `@mcp-toolkits/${name}`] }
}
