import { randomUUID } from 'node:crypto'
import { onTestFinished, type TestContext } from 'vitest'
import { account } from '../../apps/issue-tracker/src/account.ts'
import { readBaseUrl, readSecret, type Environment, type Secret } from '../../packages/core/src/upstream/credentials.ts'
import { at, listAt, parsed, textAt } from './json.ts'
import { prefix, Refused, runOf, withoutKey } from './questions.ts'

export type Variables = Readonly<Record<string, unknown>>

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly data: unknown
  readonly errors: readonly unknown[]
}

/** An issue that exists for one test. */
export interface Issue {
  readonly id: string
  readonly identifier: string
}

/** A Linear test workspace. What is created through it is trashed when the test ends. */
export interface Workspace {
  /** Sends one document, which may fail; `authorization` replaces the key. */
  readonly ask: (document: string, variables?: Variables, authorization?: string) => Promise<Answered>
  /** Sends a document that must succeed, and resolves with its data. */
  readonly run: (document: string, variables?: Variables) => Promise<unknown>
  /** Returns a name unique to this run and purpose. */
  readonly named: (purpose: string) => string
  /** The id of the team to work in. */
  readonly team: () => Promise<string>
  readonly issue: (purpose: string, input?: Variables) => Promise<Issue>
  readonly project: (purpose: string, input?: Variables) => Promise<string>
  readonly initiative: (purpose: string, input?: Variables) => Promise<string>
}

/** The reason why questions cannot be asked; undefined if they can. */
export function missingKey({ ISSUE_TRACKER_API_KEY: key, LIVE_TEAM: team }: Environment): string | undefined {
  if (key === undefined) return 'Set ISSUE_TRACKER_API_KEY to a personal key of a workspace that exists for testing.'
  return team === undefined ? 'Set LIVE_TEAM to the key of the team to work in, such as ENG.' : undefined
}

/** The token in the environment, as the header carries it. */
export function tokenIn(environment: Environment): string | undefined {
  const token = readSecret(environment, 'ISSUE_TRACKER_ACCESS_TOKEN')
  return token && `Bearer ${token.reveal()}`
}

/** Opens the workspace in the environment. */
export function openWorkspace(environment: Environment): Workspace {
  const key = readSecret(environment, 'ISSUE_TRACKER_API_KEY')
  if (key === undefined) throw new Error('ISSUE_TRACKER_API_KEY is not set.')
  const run = runOf(environment)
  const ask = asker(readBaseUrl(environment, account.api.variable) ?? account.api.url, key)
  const succeed = async (document: string, variables?: Variables) => dataOf(await ask(document, variables))
  const team = () => teamOf({ run: succeed }, environment['LIVE_TEAM'] ?? '')
  const named = (purpose: string) => `${prefix}${run}-${purpose}`
  /** Removes what a test created, even if it was changed in the meantime. */
  const remove = (id: string, ...mutations: readonly string[]) => {
    onTestFinished(async () => {
      for (const mutation of mutations) {
        const { errors } = await ask(`mutation Remove($id: String!) { ${mutation}(id: $id) { success } }`, { id })
        if (errors.length === 0) return
      }
      throw new Error(`${mutations.join(' and ')} failed: something whose name begins with ${named('')} is left in the workspace.`)
    })
    return id
  }
  return {
    ask,
    named,
    team,
    run: succeed,
    async issue(purpose, input = {}) {
      const data = await succeed(documents.issue, { input: { teamId: await team(), title: named(purpose), ...input } })
      const id = remove(textAt(data, 'issueCreate.issue.id'), 'issueDelete')
      return { id, identifier: textAt(data, 'issueCreate.issue.identifier') }
    },
    async project(purpose, input = {}) {
      const data = await succeed(documents.project, { input: { teamIds: [await team()], name: named(purpose), ...input } })
      return remove(textAt(data, 'projectCreate.project.id'), 'projectDelete')
    },
    async initiative(purpose, input = {}) {
      const data = await succeed(documents.initiative, { input: { name: named(purpose), ...input } })
      return remove(textAt(data, 'initiativeCreate.initiative.id'), 'initiativeDelete', 'initiativeArchive')
    },
  }
}

export const documents = {
  issue: 'mutation Issue($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier } } }',
  project: 'mutation Project($input: ProjectCreateInput!) { projectCreate(input: $input) { project { id } } }',
  initiative: 'mutation Initiative($input: InitiativeCreateInput!) { initiativeCreate(input: $input) { initiative { id } } }',
  comment: 'mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { comment { id } } }',
  update: 'mutation Update($input: ProjectUpdateCreateInput!) { projectUpdateCreate(input: $input) { projectUpdate { id health } } }',
  relation: 'mutation Relation($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { issueRelation { id } } }',
  link: 'mutation Link($input: InitiativeToProjectCreateInput!) { initiativeToProjectCreate(input: $input) { initiativeToProject { id } } }',
  attachment: 'mutation Attachment($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { attachment { id } } }',
} as const

/** An unused id. */
export const newId = (): string => randomUUID()

/** The words and codes of a refusal by Linear; the rest may differ without harm. */
export const refusalIn = ({ status, data, errors }: Answered) => ({
  status,
  data,
  message: at(errors, '0.message'),
  code: at(errors, '0.extensions.code'),
})

/** A refusal of an argument for its value. */
export const badArgument = { status: 200, data: null, message: 'Argument Validation Error', code: 'INVALID_INPUT' } as const

/** Returns the item that a test needs, or skips the test if the workspace lacks it. */
export function needed<T>(context: TestContext, found: T | undefined, prepare: string): T {
  if (found === undefined) return context.skip(`Prepare the workspace: ${prepare}`)
  return found
}

/** The id of the team with a key. */
export async function teamOf({ run }: Pick<Workspace, 'run'>, key: string): Promise<string> {
  const found = await run('query Team($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { id } } }', { key })
  if (listAt(found, 'teams.nodes').length !== 1) throw new Error(`There is no team with the key ${key} in the workspace.`)
  return textAt(found, 'teams.nodes.0.id')
}

function asker(url: string, key: Secret): Workspace['ask'] {
  return async (query, variables = {}, authorization = key.reveal()) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', authorization },
      body: JSON.stringify({ query, variables }),
    })
    const { status, headers } = response
    const body = parsed(withoutKey(await response.text(), [authorization, authorization.replace('Bearer ', '')]))
    const errors = at(body, 'errors')
    return { status, headers, data: at(body, 'data') ?? null, errors: Array.isArray(errors) ? errors : [] }
  }
}

function dataOf({ status, data, errors }: Answered): unknown {
  if (errors.length > 0 || data === null) {
    const messages = errors.map((error) => `${String(at(error, 'message'))} ${String(at(error, 'extensions.userPresentableMessage'))}`)
    throw new Refused(`A document that must succeed was answered with ${status}: ${messages.join('; ')}`)
  }
  return data
}
