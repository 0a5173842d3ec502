import { count, joinWords } from '@mcp-toolkits/core/errors'
import type { SealedCount } from '../postgres/index.ts'
import { type CommandLine, type Console, print, printJson, UsageError } from '@mcp-toolkits/server/cli'
import type { TeamServer } from '../team-server.ts'
import { type OpenPeople, withPeople } from './people-state.ts'
import { readKeys } from './with-store.ts'

/** Decrypts every encrypted row, re-encrypts rows with the first key, or revokes all the authorization server's tokens and signing keys. */
export async function vault<Context>(definition: TeamServer<Context>, line: CommandLine, console: Console): Promise<number> {
  const [name = '', ...rest] = line.operands
  const action = actions.get(name)
  if (!action || rest.length > 0) throw new UsageError('Use `vault check`, `vault rotate` or `vault renew`.')
  if (action !== check && line.json) throw new UsageError('--json is for `vault check` only.')
  return withPeople(definition, line, (people) => action(people, line, console))
}

type Action = (people: OpenPeople, line: CommandLine, console: Console) => Promise<number>

/** Returns exit code 1 if a row cannot be decrypted. */
async function check(people: OpenPeople, line: CommandLine, { output, errors }: Console): Promise<number> {
  const counts = await (await people.sealedRows()).check()
  const isReadable = counts.every(({ unreadable }) => unreadable === 0)
  if (line.json) {
    const keys = counts.map(({ keyId, rows, unreadable }) => ({ key: keyId, rows, unreadable }))
    await printJson(output, { location: people.state.location, keys }, 2)
    return isReadable ? 0 : 1
  }
  await print(isReadable ? output : errors, [people.state.location, ...countLines(counts, keyIds(line))].join('\n'))
  return isReadable ? 0 : 1
}

/** Returns exit code 1 while any key but the first is still needed. */
async function rotate(people: OpenPeople, line: CommandLine, { output, errors }: Console): Promise<number> {
  const rows = await people.sealedRows()
  const resealed = await rows.rotate()
  const counts = await rows.check()
  const [first = '', ...former] = keyIds(line)
  const others = counts.filter(({ keyId }) => keyId !== first)
  const done = `${count(resealed, 'row')} of ${people.state.location} re-encrypted with the key ${first}.`
  if (others.length > 0) {
    const next = others.some(({ unreadable }) => unreadable > 0)
      ? 'Add the keys that are missing to MCP_TOOLKITS_VAULT_KEYS, and repeat the command.'
      : `Put the key ${first} first on every replica, and repeat the command.`
    await print(errors, [done, ...countLines(counts, [first, ...former]), next].join('\n'))
    return 1
  }
  const unneeded = former.length === 0 ? '' : ` Once ${first} is the first key on every replica, you can remove ${joinWords(former)}.`
  await print(output, `${done}${unneeded}`)
  return 0
}

async function renew({ state }: OpenPeople, _line: CommandLine, { output }: Console): Promise<number> {
  const { revokeAllTokens } = await import('../authorization-server/tokens/revocation.ts')
  const { signingKeys, signIns } = await revokeAllTokens(state)
  const deleted = `Deleted ${count(signingKeys, 'key')} that signed access tokens, and the refresh tokens of ${count(signIns, 'sign-in')}.`
  await print(output, `${deleted} Within a minute every replica signs with a new key, and refuses tokens signed with the old keys.`)
  return 0
}

const actions: ReadonlyMap<string, Action> = new Map([
  ['check', check],
  ['rotate', rotate],
  ['renew', renew],
])

const keyIds = ({ settings }: CommandLine) => readKeys(settings.environment, 'This command').map(({ id }) => id)

function countLines(counts: readonly SealedCount[], known: readonly string[]): string[] {
  return counts.map(({ keyId, rows, unreadable }) => {
    if (keyId === '') return `not encrypted: ${count(rows, 'row')}`
    const use = known[0] === keyId ? ', which encrypts' : ''
    const problem = known.includes(keyId) ? 'differs here, or the rows were changed' : 'is missing here'
    const state = unreadable === 0 ? 'all readable' : `${count(unreadable, 'row is', 'rows are')} unreadable: the key ${problem}`
    return `key ${keyId}${use}: ${count(rows, 'row')}, ${state}`
  })
}
