import { realpathSync } from 'node:fs'
import path from 'node:path'
import { canonicalSpelling, type Spelling } from '@mcp-toolkits/core/errors'
import { shellQuote } from '../account/account.ts'
import type { ServerDefinition, Settings } from '../mcp/definition.ts'
import type { Console } from './command.ts'

type Invocation = Pick<Console, 'environment' | 'program'>

/** True for a program in an installed package. */
export const isInstalled = (program: string): boolean => isInside('node_modules', program)

/** True for a program downloaded by npx: the person then has no command with its name. */
const isTemporary = (program: string): boolean => isInside('_npx', program)

/** True for a program inside a folder of this name, even if a global installation runs it through a link. */
function isInside(folder: string, program: string): boolean {
  return [program, realLocation(program)].some((file) => file.split(path.sep).includes(folder))
}

function realLocation(program: string): string {
  try {
    return realpathSync(program)
  } catch {
    return program
  }
}

/** True if npm runs the command as the clone's script. */
export function isScript({ name }: Pick<ServerDefinition<never>, 'name'>, { environment }: Pick<Invocation, 'environment'>): boolean {
  return environment['npm_lifecycle_event'] === name
}

/** Words that start the command again: through npx, an installation, a clone's script, or Node. */
export function invocationOf({ name }: Pick<ServerDefinition<never>, 'name'>, { environment, program }: Invocation): string {
  if (isInstalled(program)) {
    return isTemporary(program) ? `npx -y @mcp-toolkits/${name}` : `${name}-mcp`
  }
  if (isScript({ name }, { environment })) return `npm run -s ${name} --`
  if (!path.isAbsolute(program)) return `${name}-mcp`
  const relative = path.relative(process.cwd(), program)
  return `node ${shellQuote(relative.startsWith('..') ? program : relative)}`
}

/** Replaces a command in text, such as `issue-tracker-mcp login`, with the words that this person must type. */
export function withInvocation(definition: Pick<ServerDefinition<never>, 'name'>, invocation: Invocation): (text: string) => string {
  const command = invocationOf(definition, invocation)
  const pattern = new RegExp(`(?<![\\w/.-])${definition.name}-mcp(?= [a-z-]| COMMAND|["\`]|$)`, 'gm')
  return (text) => text.replace(pattern, () => command)
}

/** Spelling for clients of a server started as a command. */
export function commandSpelling(
  definition: Pick<ServerDefinition<never>, 'name'>,
  { environment }: Pick<Settings, 'environment'>,
): Spelling {
  return { ...canonicalSpelling, command: withInvocation(definition, { environment, program: process.argv[1] ?? '' }) }
}
