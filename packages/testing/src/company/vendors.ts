import { type DriveEmulator, driveEmulator } from '@mcp-toolkits/drive-emulator'
import { linearEmulator, localClient } from '@mcp-toolkits/linear-emulator'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import type { KnownPerson } from '../people/identity-provider/identity-provider.ts'
import type { FormAnswer } from '../people/person-browser.ts'

/** Something stored at the vendor, and who created it. */
export interface Made {
  /** The person's email address. */
  readonly by: string
  readonly title: string
  /** Hash of a file's content. */
  readonly md5?: string | null
}

/** A vendor where everyone in a company has an account. */
export interface CompanyVendor extends AsyncDisposable {
  readonly url: string
  /** Environment variables for the vendor, and for our OAuth client there. */
  readonly environment: Readonly<Record<string, string>>
  /** Environment variables with which a server uses one account there. */
  readonly account: Readonly<Record<string, string>>
  /** A person's answer on the vendor's page. */
  readonly answerOf: (person: KnownPerson) => FormAnswer
  /** Returns everything with `mark` in its title; an event's title is its id. */
  readonly made: (mark: string) => readonly Made[]
  /** Makes the vendor carry out each request at once, but answer later. */
  readonly slowDown: (milliseconds: number) => void
}

const slower =
  ({ faults }: Pick<DriveEmulator, 'faults'>): CompanyVendor['slowDown'] =>
  (milliseconds) => {
    faults.add({ times: Infinity, action: { kind: 'slow', milliseconds } })
  }

export type OpenCompanyVendor = (people: readonly KnownPerson[], publicUrl: string) => Promise<CompanyVendor>

const client = { id: 'company', name: 'The company', secret: 'company-secret' }
/** The credential of an account that belongs to nobody. */
const accountKey = 'key-of-the-account'

const callback = (publicUrl: string) => `${publicUrl}/connect/callback`
const emailOf = ({ email = '' }: KnownPerson) => email

/** Linear: one workspace for all people, and the OAuth client that the emulator's command names. */
export const openLinear: OpenCompanyVendor = async (people) => {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: accountKey, limits: { requests: 1_000_000, points: 1e12 } })
  const ids = new Map(
    people.map(({ name = '', email = '' }) => [
      emulator.addUser({ name, displayName: email.split('@')[0] ?? '', teams: ['Engineering'] }),
      email,
    ]),
  )
  const { url } = await emulator.listen()
  return {
    url,
    environment: {
      ISSUE_TRACKER_CLIENT_ID: localClient.id,
      ISSUE_TRACKER_AUTH_URL: url,
      ISSUE_TRACKER_API_URL: `${url}/graphql`,
    },
    account: { ISSUE_TRACKER_API_KEY: accountKey, ISSUE_TRACKER_API_URL: `${url}/graphql` },
    answerOf: (person) => ({ decision: 'allow', person: emailOf(person) }),
    made(mark) {
      const issues = emulator.store.issues().map(({ title, creatorId }) => ({ title: String(title), by: ids.get(String(creatorId)) ?? '' }))
      return issues.filter(({ title }) => title.includes(mark))
    },
    slowDown: slower(emulator),
    [Symbol.asyncDispose]: emulator.close,
  }
}

/** Google: a My Drive for each person. */
export const openGoogle: OpenCompanyVendor = async (people, publicUrl) => {
  const emulator = driveEmulator({
    seed: 'empty',
    accessToken: accountKey,
    clients: [{ ...client, kind: 'web', redirectUris: [callback(publicUrl)] }],
  })
  for (const { name = '', email = '' } of people) emulator.addPerson({ name, email })
  const { url } = await emulator.listen()
  return {
    url,
    environment: {
      FILE_STORAGE_CLIENT_ID: client.id,
      FILE_STORAGE_CLIENT_SECRET: client.secret,
      FILE_STORAGE_AUTH_URL: url,
      FILE_STORAGE_API_URL: url,
    },
    account: { FILE_STORAGE_ACCESS_TOKEN: accountKey, FILE_STORAGE_API_URL: url },
    answerOf: (person) => ({ decision: 'allow', person: emailOf(person) }),
    made: (mark) =>
      [undefined, ...people.map(emailOf)].flatMap((email) => {
        const own = emulator.store.files(email).filter(({ role, name }) => role === 'owner' && name.includes(mark))
        return own.map(({ name, md5 }) => ({ by: email ?? '', title: name, md5 }))
      }),
    slowDown: slower(emulator),
    [Symbol.asyncDispose]: emulator.close,
  }
}

/** The key of a person's Customer.io source. */
export const keyOf = ({ subject }: KnownPerson): string => `key-of-${subject}`

/** Customer.io: a source for each person, whose key they enter. */
export const openPipelines: OpenCompanyVendor = async (people) => {
  const sources = Object.fromEntries(people.map((person) => [emailOf(person), keyOf(person)]))
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: accountKey, sources })
  const { url } = await emulator.listen()
  return {
    url,
    environment: { EVENT_PIPELINE_API_URL: `${url}/v1`, MCP_TOOLKITS_KEYS: 'person' },
    account: { EVENT_PIPELINE_API_URL: `${url}/v1`, EVENT_PIPELINE_API_KEY: accountKey },
    answerOf: (person) => ({ key: keyOf(person) }),
    made(mark) {
      const accepted = emulator.store.events().filter(({ outcome, body }) => outcome === 'accepted' && body.includes(mark))
      return accepted.map(({ source, message_id: id }) => ({ by: source ?? '', title: id ?? '' }))
    },
    slowDown: slower(emulator),
    [Symbol.asyncDispose]: emulator.close,
  }
}
