import { type Caller, isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { Trace } from '../calls/trace.ts'
import type { AskingModes } from '../elicitation/elicitation.ts'
import type { Arguments } from '../elicitation/form.ts'

/** Time, in milliseconds, that a task is kept after its last change, the same as for an idempotency key. */
export const taskLifetimeMs = 24 * 60 * 60_000

/**
 * Time, in milliseconds, that an unfinished task's work is kept. The work is stored once, while each change restarts the task's
 * lifetime.
 */
export const workLifetimeMs = 7 * taskLifetimeMs

/** A call that outlives its request, as stored. */
export interface Task {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: 'working' | 'input_required' | 'completed' | 'cancelled' | 'failed'
  readonly message?: string | undefined
  /** Steps done, and their total number if known. */
  readonly done?: number | undefined
  readonly total?: number | undefined
  /** The tool's canonical name, with its prefix. */
  readonly tool: string
  /** Absent once the task has ended and its caller knows about it. */
  readonly work?: TaskWork | undefined
  /** The task's current or last run. */
  readonly run: string
  /** Number of runs since the last progress. */
  readonly attempts: number
  /** True if the caller may not know about the task, because the response with its id was not delivered. */
  readonly isUnknown?: boolean | undefined
  readonly question?: TaskQuestion | undefined
  readonly result?: JsonObject | undefined
  readonly error?: { readonly code: number; readonly message: string } | undefined
}

/** Everything needed to make the call again. */
export interface TaskWork {
  /** The arguments as the caller gave them. */
  readonly given: Arguments
  /** The same, plus what the person had chosen when the task began. */
  readonly args: Arguments
  /** The caller's idempotency key; absent for a call that uses its task's key. */
  readonly key?: string | undefined
  readonly modes: AskingModes
  /** The person who made the call, on a multi-user server. */
  readonly caller?: Caller | undefined
  /** The call's trace. */
  readonly trace?: Trace | undefined
}

/** A question for the person, and their reply, once given. */
export interface TaskQuestion {
  readonly requests: NonNullable<InputRequiredResult['inputRequests']>
  readonly state: string
  /** Time, in milliseconds since 1970, after which an answer is too late. */
  readonly until: number
  readonly reply?: { readonly responses: Readonly<Record<string, unknown>>; readonly at: number } | undefined
}

/** True for a task that will no longer change. */
export function hasEnded({ status }: Pick<Task, 'status'>): boolean {
  return status !== 'working' && status !== 'input_required'
}

/** Reads a stored task; undefined for one from a different version. */
export function readTask(text: string): Task | undefined {
  const value = parseJson(text)
  return isTask(value) ? value : undefined
}

export function readWork(text: string): TaskWork | undefined {
  const value = parseJson(text)
  return isWork(value) ? value : undefined
}

const isWork = (value: unknown): value is TaskWork => isObject(value) && isObject(value['given']) && isObject(value['args'])

const isTask = (value: unknown): value is Task =>
  isObject(value) &&
  ['id', 'status', 'tool', 'run'].every((name) => typeof value[name] === 'string') &&
  typeof value['createdAt'] === 'number'

/** The task in the protocol's form, without state-dependent fields. */
function summaryOf({ id, status, message, createdAt, updatedAt }: Task) {
  return {
    taskId: id,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: Math.ceil(updatedAt - createdAt) + taskLifetimeMs,
    pollIntervalMs: pollMs(updatedAt - createdAt),
  }
}

/** Suggested polling interval, in milliseconds: the longer the work has taken, the longer it may still take. */
function pollMs(age: number): number {
  return age < 30_000 ? 1_000 : age < 120_000 ? 2_000 : 5_000
}

/** The answer to a call that continues as a task. */
export interface CreatedTask extends ReturnType<typeof summaryOf> {
  readonly resultType: 'task'
  /** Required by the SDK in every response to a call. */
  readonly content: []
  readonly [field: string]: unknown
}

export function createdTask(task: Task): CreatedTask {
  return { resultType: 'task', content: [], ...summaryOf(task) }
}

/** The answer to `tasks/get`. */
export function detailedTask(task: Task): JsonObject {
  const { status, question, result, error } = task
  return {
    ...summaryOf(task),
    ...(status === 'input_required' && question && { inputRequests: question.requests }),
    ...(status === 'completed' && { result }),
    ...(status === 'failed' && { error }),
  }
}
