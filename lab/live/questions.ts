import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'vitest'
import type { Environment } from '../../packages/core/src/upstream/credentials.ts'
import type { driveRules } from '../../packages/emulators/drive/src/rules/index.ts'
import type { linearRules } from '../../packages/emulators/linear/src/rules/index.ts'
import type { pipelinesRules } from '../../packages/emulators/pipelines/src/rules.ts'

/** The prefix of everything that live tests create. */
export const prefix = 'mcp-toolkits-live-'

/** The timeout for one question, in milliseconds. */
const timeoutMs = 900_000

/** Questions that change an account or affect others; they run only when listed. */
const optIn: Readonly<Record<Server, readonly number[]>> = { 'event-pipeline': [9, 15], 'issue-tracker': [], 'file-storage': [] }

/** Advice for a vendor that differs from its emulator. */
const advice: Readonly<Record<Server, string>> = {
  'event-pipeline': 'packages/emulators/pipelines with its rules.ts, and apps/event-pipeline with "Assumed about the vendor" in its README',
  'issue-tracker': 'packages/emulators/linear with its rules/, and apps/issue-tracker',
  'file-storage': 'packages/emulators/drive with its rules/, and apps/file-storage',
}

type Server = 'event-pipeline' | 'issue-tracker' | 'file-storage'
type RuleId = keyof typeof pipelinesRules | keyof typeof linearRules | keyof typeof driveRules

/** The run's name, which is part of every name that the run creates. Set LIVE_RUN to continue an earlier run. */
export function runOf(environment: Environment): string {
  const run = environment['LIVE_RUN'] ?? randomUUID().slice(0, 8)
  if (!/^[a-z0-9]{1,20}$/.test(run)) throw new Error('LIVE_RUN must have 1 to 20 lowercase letters and digits.')
  return run
}

/** Removes credentials from an answer, because failures print it. */
export function withoutKey(answer: string, credentials: readonly string[]): string {
  return credentials.reduce((text, credential) => text.replaceAll(credential, '[key]'), answer)
}

/** The numbers in LIVE_ONLY; undefined to ask everything that affects nobody else. */
function onlyIn(environment: Environment): readonly number[] | undefined {
  const value = environment['LIVE_ONLY']
  if (value === undefined) return undefined
  if (!/^\d{1,2}(,\d{1,2})*$/.test(value)) throw new Error('LIVE_ONLY must be numbers of questions separated by commas, such as 9,15.')
  return value.split(',').map(Number)
}

/** Error if the vendor refuses a question's precondition. */
export class Refused extends Error {
  override name = 'Refused'
}

export interface Questionnaire {
  readonly server: Server
  readonly environment: Environment
  /** The reason why questions cannot be asked; undefined if they can. */
  readonly missing: string | undefined
}

export interface Question {
  /** The question's number in docs/live.md. */
  readonly number: number
  readonly question: string
  /** The emulator's behaviour, which the test expects from the vendor. */
  readonly emulator: string
  /** Rules that the answer settles: if it is as expected, they count as seen on this day. */
  readonly rules: readonly RuleId[]
}

/** Turns questions into tests that the vendor passes when it behaves like its emulator. */
export function questionnaire({ server, environment, missing }: Questionnaire) {
  const only = onlyIn(environment)
  return ({ number, question, emulator, rules }: Question, ask: (context: TestContext) => Promise<void>): void => {
    const needsOptIn = only === undefined && optIn[server].includes(number)
    test(`${server} ${number}: ${question}`, { timeout: timeoutMs }, async (context) => {
      context.skip(missing !== undefined, missing)
      context.skip(only !== undefined && !only.includes(number), 'LIVE_ONLY does not include it.')
      context.skip(needsOptIn, `It changes an account or affects others: run it with LIVE_ONLY=${number}.`)
      try {
        await ask(context)
        await context.annotate(`If that was the vendor, these rules are seen today: ${rules.join(', ')}.`)
      } catch (error) {
        if (error instanceof Error && (error.name === 'AssertionError' || error instanceof Refused)) {
          error.message += `\n\nThe emulator: ${emulator}.\nIf the vendor differs, change ${advice[server]}, and docs/live.md. Rules: ${rules.join(', ')}.`
        }
        throw error
      }
    })
  }
}
