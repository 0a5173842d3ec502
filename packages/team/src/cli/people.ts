import { accountText, type AccountInfo } from '@mcp-toolkits/server/account'
import { disconnectEvent } from '../connect/connection-events.ts'
import { decodeGrant, type EndedGrant, endGrant, type EndGrantOptions } from '../accounts/grants.ts'
import type { KnownPerson, Person, StoredGrant } from '@mcp-toolkits/core/base'
import { count, joinWords, printableLine, quote } from '@mcp-toolkits/core/errors'
import { type CommandLine, type Console, print, printJson, UsageError, logTo } from '@mcp-toolkits/server/cli'
import type { TeamServer } from '../team-server.ts'
import { type OpenPeople, withPeople } from './people-state.ts'

/** Lists a server's people, forgets one of them, or connects an account for a service identity. */
export async function people<Context>(definition: TeamServer<Context>, line: CommandLine, console: Console): Promise<number> {
  const [action, subject, ...rest] = line.operands
  if (action === 'list' && subject === undefined) return withPeople(definition, line, (found) => list(found, line, console))
  if (action === 'forget' && subject !== undefined && rest.length === 0)
    return withPeople(definition, line, (found) => forget(definition, found, { subject, line, console }))
  if (action === 'connect' && subject !== undefined && rest.length === 0)
    return (await import('./people-connect.ts')).connectService(definition, { clientId: subject, line }, console)
  throw new UsageError(
    "Use `people list`, `people forget SUBJECT` or `people connect CLIENT_ID`. SUBJECT is a person's subject from the list, or their owner from the list with --json.",
  )
}

async function list({ state }: OpenPeople, { json }: CommandLine, { output }: Console): Promise<number> {
  const withGrants = async <Found extends { readonly owner: string }>(people: readonly Found[]) =>
    Promise.all(people.map(async (person) => ({ person, grants: await state.people.grants.list(person.owner) })))
  const [found, unreadable] = [await withGrants(await state.people.list()), await withGrants(await state.people.listUnreadable())]
  if (json) {
    const people = found.map(({ person, grants }) => personFacts(person, grants))
    const others = unreadable.map(({ person: { owner, missingKey }, grants }) => ({
      owner,
      ...keyFact(missingKey),
      connections: grants.map(grantFacts),
    }))
    await printJson(output, { people, ...(others.length > 0 && { unreadable: others }) }, 2)
    return 0
  }
  const lines = [
    ...found.flatMap(({ person, grants }) => [personText(person, grants), ...grants.map(connectionText)]),
    ...unreadable.flatMap(({ person: { owner, missingKey }, grants }) => [
      `a person whose entry cannot be read${keyText(missingKey)}; \`people forget ${owner}\` deletes them`,
      ...grants.map(connectionText),
    ]),
  ]
  const all = [...found, ...unreadable]
  const total = all.reduce((sum, { grants }) => sum + grants.length, 0)
  await print(output, [...lines, `${count(all.length, 'person', 'people')}, ${count(total, 'connected account')}.`].join('\n'))
  return 0
}

/** A person, with the vendor's name for them, because a subject may be just a number. */
function personText({ subject, issuer, isService }: KnownPerson, grants: readonly StoredGrant[]): string {
  const [name] = grants.flatMap((grant) => describe(grant).account['account'] ?? [])
  return printableLine(`${subject}${name === undefined ? '' : `, ${name},`} at ${issuer}${isService ? ', a service identity' : ''}`)
}

function personFacts({ subject, issuer, isService, owner, firstSeen, lastSeen }: KnownPerson, grants: readonly StoredGrant[]) {
  return {
    subject,
    issuer,
    ...(isService && { service: true }),
    owner,
    first_seen: isoTime(firstSeen),
    last_seen: isoTime(lastSeen),
    connections: grants.map(grantFacts),
  }
}

function grantFacts(stored: StoredGrant) {
  const { kind, account, scopes, state } = describe(stored)
  const { profile, connectedAt, missingKey } = stored
  return { profile, kind, account, ...(scopes && { scopes }), state, ...keyFact(missingKey), connected_at: isoTime(connectedAt) }
}

const keyFact = (missingKey: string | undefined) => (missingKey === undefined ? {} : { missing_key: missingKey })

/** The reason something cannot be read, as the end of a sentence. */
function keyText(missingKey: string | undefined): string {
  return missingKey === undefined ? '' : `, because the key ${missingKey} is missing from MCP_TOOLKITS_VAULT_KEYS or has different bytes`
}

function connectionText(stored: StoredGrant): string {
  const { kind, account, state } = describe(stored)
  const what =
    accountText(account) || (kind === 'login' ? 'an account that the vendor does not name' : kind === 'key' ? 'an API key' : 'an account')
  const unreadable =
    stored.missingKey === undefined ? ', which this version cannot read' : `, which cannot be read${keyText(stored.missingKey)}`
  const problem = state === 'active' ? '' : state === 'ended' ? ', ended by the vendor' : unreadable
  return printableLine(`  ${stored.profile}: ${what}, connected on ${isoTime(stored.connectedAt).slice(0, 10)}${problem}`)
}

/** Describes a grant without its secrets. */
function describe(stored: StoredGrant): GrantDescription {
  const grant = decodeGrant(stored.grant)
  if (!grant) return { kind: 'unknown', account: {}, scopes: undefined, state: 'unreadable' }
  if (grant.kind === 'key') return { kind: 'key', account: grant.account, scopes: undefined, state: 'active' }
  const { account, scopes, tokens } = grant.login
  return { kind: 'login', account, scopes, state: tokens ? 'active' : 'ended' }
}

interface GrantDescription {
  readonly kind: 'login' | 'key' | 'unknown'
  readonly account: AccountInfo
  readonly scopes: readonly string[] | undefined
  readonly state: 'active' | 'ended' | 'unreadable'
}

const isoTime = (moment: number) => new Date(moment).toISOString()

/** Returns exit code 1 if there is no such person, or if the vendor may still accept their grants. */
async function forget<Context>(
  definition: TeamServer<Context>,
  people: OpenPeople,
  { subject, line, console }: { readonly subject: string; readonly line: CommandLine; readonly console: Console },
): Promise<number> {
  const { account, vendor } = definition
  const { issuer } = line
  const { state } = people
  const person = await findPerson(people, subject, issuer)
  if (!person) {
    await print(console.errors, `No person with the subject ${quote(subject)} is known. \`people list\` shows who is.`)
    // Records of their calls, and events under a shared key, are stored even for people who have connected no account.
    if (issuer === undefined) return 1
    for (const each of [{ issuer, subject }, { issuer, subject, isService: true } as const]) {
      const owner = state.people.ownerOf(each)
      await state.people.forget(owner)
      const parked = await definition.parkWork?.(line.settings, owner, people.shared)
      if (parked !== undefined) await print(console.output, parked)
    }
    return 1
  }
  const { owner, isService } = person
  // Opened first, so that nothing is deleted without a record.
  const audit =
    line.audit === undefined
      ? undefined
      : (await import('../audit-log.ts')).auditTo(
          { target: line.audit, shared: people.shared, log: logTo(definition, console, 'error') },
          console,
        )
  const ended = await endGrants({ state, provider: account?.provider }, owner, (each) =>
    audit?.connection(disconnectEvent(person, each.profile, each)),
  )
  await state.people.forget(owner)
  audit?.connection({ action: 'forget', issuer: person.issuer, subject: person.subject, ...(isService && { isService }), outcome: 'ok' })
  const parked = await definition.parkWork?.(line.settings, owner, people.shared)
  await print(console.output, [forgottenText(person.subject, ended), ...(parked === undefined ? [] : [parked])].join('\n'))
  const problems = ended.flatMap(({ profile, grant, missingKey, problem }) => {
    if (!grant)
      return [`${vendor} may still accept the account ${profile}, which could not be read and so was not revoked${keyText(missingKey)}.`]
    return problem ? [`${vendor} still accepts the login of the account ${profile}: ${problem.message}`] : []
  })
  if (problems.length === 0) return 0
  await print(console.errors, [...problems, 'The person can remove the application in their account settings.'].join('\n'))
  return 1
}

/**
 * The person or service identity with this subject, or with an `owner` as the list shows it. Even a person whose row cannot be read is
 * found by issuer and subject. Throws `UsageError` if there are several.
 */
async function findPerson({ state: { people } }: OpenPeople, name: string, issuer: string | undefined): Promise<FoundPerson | undefined> {
  const known = (await people.list()).filter(
    (person) => [person.subject, person.owner].includes(name) && (issuer ?? person.issuer) === person.issuer,
  )
  const person = { issuer: issuer ?? '', subject: name }
  const kinds: readonly Person[] = issuer === undefined ? [] : [person, { ...person, isService: true }]
  const unreadable = (await people.listUnreadable()).flatMap(({ owner }): readonly FoundPerson[] => {
    const named = kinds.find((kind) => people.ownerOf(kind) === owner)
    // The person's `owner` hash is all that is known.
    return named || owner === name ? [{ ...(named ?? person), owner }] : []
  })
  const found = [...known, ...unreadable]
  if (found.length > 1) {
    const choices = found.map(
      (each) => `${each.owner} is ${each.isService ? 'a service identity' : 'a person'} at ${printableLine(each.issuer)}`,
    )
    const problem = `More than one person or service identity has the subject ${quote(name)}.`
    throw new UsageError(`${problem} Choose one with \`people forget OWNER\`: ${joinWords(choices)}.`)
  }
  return found[0]
}

/** A person or service identity, with what is known about them. */
interface FoundPerson extends Person {
  readonly owner: string
}

interface EndedAccount extends EndedGrant {
  readonly profile: string
}

/** Ends a person's grants one by one, and reports each to `onEnd` at once: a problem may prevent the next one. */
async function endGrants(options: EndGrantOptions, owner: string, onEnd: (ended: EndedAccount) => void): Promise<readonly EndedAccount[]> {
  const ended: EndedAccount[] = []
  for (const { profile } of await options.state.people.grants.list(owner)) {
    const each = await endGrant(options, { owner, profile })
    if (!each) continue
    ended.push({ ...each, profile })
    onEnd({ ...each, profile })
  }
  return ended
}

function forgottenText(subject: string, ended: readonly EndedAccount[]): string {
  const keys = ended.filter(({ grant }) => grant?.kind === 'key').length
  const still =
    keys === 0 ? '' : ` The vendor still accepts ${count(keys, 'key')} that they had entered; delete ${keys === 1 ? 'it' : 'them'} there.`
  return `Everything that was stored about ${quote(subject)} is deleted, with ${count(ended.length, 'connected account')}.${still}`
}
