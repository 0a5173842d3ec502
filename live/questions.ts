import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'vitest'
import type { Environment } from '../packages/core/src/index.ts'

/** What everything that a live test makes is called by, so that a person can tell it from what is theirs. */
export const prefix = 'mcp-toolkits-live-'

/** How long the vendor may take with all of one question, in milliseconds. */
const patience = 900_000

/** Questions that change an account or disturb others. */
const onRequest: Readonly<Record<Server, readonly number[]>> = { 'event-pipeline': [9, 15], 'issue-tracker': [] }

/** Where to look when the vendor does otherwise than its emulator. */
const told: Readonly<Record<Server, string>> = {
  'event-pipeline':
    'packages/pipelines-emulator with its rules.ts, and apps/event-pipeline with "Assumed about the vendor" in its README',
  'issue-tracker': 'packages/linear-emulator with its rules/, and apps/issue-tracker',
}

type Server = 'event-pipeline' | 'issue-tracker'

/** What this run is called: part of the name of everything that it makes. Set LIVE_RUN to continue an earlier run. */
export function runOf(environment: Environment): string {
  const run = environment['LIVE_RUN'] ?? randomUUID().slice(0, 8)
  if (!/^[a-z0-9]{1,20}$/.test(run)) throw new Error('LIVE_RUN must be of 1 to 20 small letters and digits.')
  return run
}

/** What a vendor answered, without the credentials that it may have answered with: what fails is printed. */
export function withoutKey(answer: string, credentials: readonly string[]): string {
  return credentials.reduce((text, credential) => text.replaceAll(credential, '[key]'), answer)
}

/** The numbers in LIVE_ONLY; undefined when everything is asked that disturbs nobody. */
function onlyIn(environment: Environment): readonly number[] | undefined {
  const value = environment['LIVE_ONLY']
  if (value === undefined) return undefined
  if (!/^\d{1,2}(,\d{1,2})*$/.test(value)) throw new Error('LIVE_ONLY must be numbers of questions with commas between them, such as 9,15.')
  return value.split(',').map(Number)
}

/** The vendor refuses what a question takes for granted. */
export class Refused extends Error {
  override name = 'Refused'
}

export interface Questionnaire {
  readonly server: Server
  readonly environment: Environment
  /** Why none of the questions can be asked, if so. */
  readonly missing: string | undefined
}

export interface Question {
  /** As in the table of docs/live.md. */
  readonly number: number
  readonly question: string
  /** What the emulator does, which the test expects of the vendor. */
  readonly emulator: string
}

/** A function that turns questions into tests, which the vendor passes where it does what its emulator does. */
export function questionnaire({ server, environment, missing }: Questionnaire) {
  const only = onlyIn(environment)
  return ({ number, question, emulator }: Question, ask: (context: TestContext) => Promise<void>): void => {
    const reserved = only === undefined && onRequest[server].includes(number)
    test(`${server} ${number}: ${question}`, { timeout: patience }, async (context) => {
      context.skip(missing !== undefined, missing)
      context.skip(only !== undefined && !only.includes(number), 'LIVE_ONLY does not name it.')
      context.skip(reserved, `It changes an account or disturbs others: LIVE_ONLY=${number} asks it.`)
      try {
        await ask(context)
      } catch (error) {
        if (error instanceof Error && (error.name === 'AssertionError' || error instanceof Refused)) {
          error.message += `\n\nThe emulator: ${emulator}.\nIf the vendor does otherwise, change ${told[server]}, and docs/live.md.`
        }
        throw error
      }
    })
  }
}
