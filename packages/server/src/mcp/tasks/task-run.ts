import { randomUUID } from 'node:crypto'
import type { Clock, Timer } from '@mcp-toolkits/core/base'
import { type CallOperation, TaskCancelled } from '@mcp-toolkits/core/tool'
import { type InputRequiredResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import { filterText } from '../answers/exit-filter.ts'
import { toToolResult } from '../answers/mcp-result.ts'
import type { ListedTool } from '../definition.ts'
import { hasEnded, type Task, type TaskQuestion } from './task.ts'
import type { TaskStore } from './task-store.ts'

/** Interval, in milliseconds, at which a run stores its progress and checks whether it should stop. */
const lookMs = 1_000

/** Reason for ending a run: another run is doing its work, or will do it. */
class TaskLeft extends Error {
  override readonly name = 'TaskLeft'
}

/** Changes that a run makes to its task when it ends. */
type TaskEnd = Pick<Task, 'status'> & Partial<Task>

export interface TaskRunOptions {
  readonly owner: string
  readonly store: TaskStore
  readonly controller: AbortController
  readonly effect: ListedTool['effect']
  /** True if an earlier process began the work. */
  readonly isResumed: boolean
  readonly embedded: boolean
  readonly clock: Clock
  /** Time, in milliseconds, that a person has to answer. */
  readonly questionMs: number
  /** Returns a question's state, as the task keeps it. */
  readonly stateOf: (asked: InputRequiredResult) => Promise<string | undefined>
}

/** One run of a task that this process holds. */
export class TaskRun {
  readonly #options: TaskRunOptions
  #task: Task
  #operation: CallOperation | undefined
  #isChanged = false
  #isUnwanted = false
  #timer: Timer | undefined
  /** The running check; a run waits for it before ending, so that the outcome is written last. */
  #looking = Promise.resolve()

  constructor(task: Task, options: TaskRunOptions) {
    this.#task = { ...task, run: randomUUID() }
    this.#options = options
  }

  get task(): Task {
    return this.#task
  }

  get owner(): string {
    return this.#options.owner
  }

  /** Records the work's progress. */
  readonly report = (done: number, total?: number, message?: string): void => {
    const text = filterText(message ?? (total === undefined ? `${done}` : `${done} of ${total}`))
    if (text !== this.#task.message || done !== this.#task.done) this.#change({ message: text, done, total, attempts: 0 })
    if (this.#isUnwanted) this.cancel()
  }

  readonly follow = (operation: CallOperation): void => {
    this.#operation = operation
  }

  /** Records that the caller has the task's id. */
  know(): void {
    if (this.#task.isUnknown === true) this.#change({ isUnknown: undefined })
  }

  /** Ends the run because the caller does not want the result. */
  cancel(): void {
    this.#options.controller.abort(new TaskCancelled('The task was cancelled.'))
  }

  /** Cancels at the first report: by then, the call has found its background work and can stop it. */
  cancelWithReport(): void {
    this.#isUnwanted = true
  }

  /** Leaves the work to the next run. */
  leave(): void {
    this.#options.controller.abort(new TaskLeft('The server is closing, and the next one continues the work.'))
  }

  /**
   * Waits for the work, stores its outcome, and returns the task. A task that was handed over is not changed. `onEnd` is called before
   * the outcome is stored: if the process dies in between, the next process repeats the work and records the outcome again.
   */
  async end(working: Promise<Answer | InputRequiredResult>, onEnd: () => Promise<void>): Promise<Task> {
    const { store, owner, clock } = this.#options
    this.#timer = clock.timer(lookMs, () => {
      this.#looking = this.#look()
        .catch(() => undefined)
        .finally(() => this.#timer?.restart())
    })
    this.#timer.unref()
    const change = await this.#endOf(working)
    this.#timer.cancel()
    await this.#looking
    this.#timer.cancel()
    try {
      if (change && hasEnded(change)) await onEnd()
      if (change) await this.#store(change)
    } finally {
      await store.release(owner, this.#task.id)
    }
    return this.#task
  }

  async #store(change: Partial<Task>): Promise<void> {
    const { store, owner } = this.#options
    // The call is not made again; its arguments are needed only to recognize a repeated call.
    const { work, isUnknown } = this.#task
    const needed = change.status === 'input_required' || isUnknown === true
    this.#change({ message: undefined, question: undefined, ...change, work: needed ? work : undefined })
    await store.set(owner, this.#task)
    if (!needed) await store.dropWork(owner, this.#task.id)
  }

  #change(change: Partial<Task>): void {
    this.#task = { ...this.#task, ...change, updatedAt: this.#options.clock.now() }
    this.#isChanged = true
  }

  async #look(): Promise<void> {
    const { store, owner } = this.#options
    const stored = await store.get(owner, this.#task.id)
    // The task's person was forgotten, or another process mistook this one for dead.
    if (stored?.run !== this.#task.run) this.leave()
    else if (await store.isAskedToCancel(owner, this.#task.id)) this.cancel()
    else if (this.#isChanged) {
      this.#isChanged = false
      await store.set(owner, this.#task)
    }
  }

  async #endOf(working: Promise<Answer | InputRequiredResult>): Promise<TaskEnd | undefined> {
    const { controller, embedded } = this.#options
    try {
      const answer = await working
      if ('resultType' in answer) return await this.#ask(answer)
      return { status: 'completed', result: { resultType: 'complete', ...toToolResult(answer, embedded) } }
    } catch (error) {
      const { signal } = controller
      if (signal.reason instanceof TaskLeft) return undefined
      if (signal.reason instanceof TaskCancelled) return { status: 'cancelled', message: this.#doneBefore() }
      const { code, message } =
        error instanceof ProtocolError ? error : { code: ProtocolErrorCode.InternalError, message: 'The server failed unexpectedly.' }
      return { status: 'failed', message, error: { code, message } }
    }
  }

  async #ask(asked: InputRequiredResult): Promise<TaskEnd> {
    const { stateOf, clock, questionMs } = this.#options
    // No two of a task's questions may have the same key.
    const requests = Object.entries(asked.inputRequests ?? {}).map(([key, request]) => [`${key}-${randomUUID()}`, request] as const)
    const question: TaskQuestion = {
      requests: Object.fromEntries(requests),
      state: (await stateOf(asked)) ?? '',
      until: clock.now() + questionMs,
    }
    return { status: 'input_required', message: "The work is waiting for the user's answer.", question }
  }

  /** Describes what a cancelled call has done. */
  #doneBefore(): string {
    const { message, createdAt, id, work } = this.#task
    const seconds = Math.round((this.#options.clock.now() - createdAt) / 1_000)
    const progress = `Cancelled after ${seconds} s${message === undefined ? '' : `, at: ${message}`}.`
    const { effect, isResumed } = this.#options
    if (effect === 'read') return `${progress} It changed nothing.`
    // A call that creates nothing has no operation.
    const mayHaveWritten = effect !== 'create' || isResumed || this.#operation?.hasBegun === true
    const done = mayHaveWritten ? 'What it had already written remains.' : 'It had created nothing.'
    return `${progress} ${done} The same call with the idempotency key ${work?.key ?? id} continues it.`
  }
}

/** A request's key, as the call spelled it. */
export const askedKeyOf = (key: string): string => key.slice(0, -randomUUID().length - 1)
