import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Caller, type Clock, type JsonObject, once, withoutNulls } from '@mcp-toolkits/core/base'
import { type InputRequiredResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import type { CallOptions } from '../call.ts'
import type { CallAudit } from '../calls/audited-call.ts'
import { type CallKind, callsOfKind } from '../calls/call-limiter.ts'
import { type Delivery, withCaller } from '../calls/current-request.ts'
import type { ConnectLinks } from '../connect-links.ts'
import type { ListedTool } from '../definition.ts'
import { waitForLink } from '../elicitation/connect-prompt.ts'
import { converse } from '../elicitation/conversation.ts'
import { elicitation, type RepeatableCall } from '../elicitation/elicitation.ts'
import { errorFields, type Log } from '../log.ts'
import { type CreatedTask, createdTask, detailedTask, hasEnded, type Task, type TaskQuestion, type TaskWork } from './task.ts'
import type { PendingTask, TaskStore } from './task-store.ts'
import { askedKeyOf, TaskRun, type TaskRunOptions } from './task-run.ts'

/** Maximum number of tasks that one process works on; further calls stay ordinary calls. */
const maxRuns = 64

/** Maximum number of runs of a task without progress: the task may crash every process that runs it. */
const maxAttempts = 20

/** Time, in milliseconds, during which a repeated call finds a task that the caller may not know about. */
const repeatMs = 10 * 60_000

/** Age, in milliseconds, from which an identical call joins a running task. Calls closer together are taken to be separate. */
const joinAfterMs = 5_000

/**
 * Maximum number of attempts to take a task in order to record an answer while another process checks or starts it, and the pause between
 * attempts, in milliseconds.
 */
const maxHolds = 200
const holdRetryMs = 50

export interface TasksOptions {
  readonly openStore: () => Promise<{ readonly store: TaskStore; readonly close: () => Promise<void> }>
  /** Returns the owner of a caller's records. */
  readonly ownerOf: (caller: Caller | undefined) => Promise<string>
  /** Finds a tool by its canonical name. */
  readonly find: (name: string) => ListedTool | undefined
  readonly prefix: string
  /** Returns the kind of a tool's calls: an owner's tasks are limited per kind. */
  readonly kindOf: (tool: Pick<ListedTool, 'name'>) => CallKind
  /** Tools whose work continues without a call. */
  readonly backgroundCalls: readonly string[]
  readonly invoke: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  /** Waits until a person has finished at a connect link; absent if answers have no links. */
  readonly waitForLink?: ConnectLinks['waitFor'] | undefined
  readonly questionSeconds?: number | undefined
  readonly readOnly: boolean
  readonly embedded: boolean
  /** Records how tasks end. */
  readonly audit?: CallAudit | undefined
  readonly clock: Clock
  readonly log: Log
}

/** A call that has been running for a while and should become a task. */
export interface StartedCall {
  readonly tool: ListedTool
  readonly work: TaskWork
  readonly controller: AbortController
  readonly working: Promise<Answer | InputRequiredResult>
  readonly stateOf: (asked: InputRequiredResult) => Promise<string | undefined>
  readonly delivery: Delivery | undefined
  /** Called once the task exists, so that the call reports to the task's run and uses the task's key. */
  readonly onTask: (run: TaskRun) => Promise<void>
}

type FollowedCall = Pick<StartedCall, 'tool' | 'work' | 'controller' | 'working'>

/** A server's calls that outlive their requests. */
export class Tasks {
  readonly #options: TasksOptions
  readonly #open: () => ReturnType<TasksOptions['openStore']>
  readonly #elicitation
  readonly #runs = new Map<string, { readonly run: TaskRun; readonly tool: ListedTool; readonly ended: Promise<void> }>()
  #opening: ReturnType<TasksOptions['openStore']> | undefined
  #isClosed = false

  constructor(options: TasksOptions) {
    const { clock, questionSeconds } = options
    this.#options = options
    this.#open = once(() => (this.#opening = options.openStore()))
    this.#elicitation = elicitation({ clock, questionSeconds })
  }

  /** Turns a call into a task. Undefined if that is not possible, or no longer needed. Never rejects. */
  async begin(call: StartedCall): Promise<CreatedTask | undefined> {
    if (this.#isClosed || this.#runs.size >= maxRuns) return undefined
    return this.#begin(call).catch((error: unknown) => {
      this.#options.log.warn('a call did not become a task', errorFields(error))
      return undefined
    })
  }

  async #begin({ tool, work, controller, working, stateOf, delivery, onTask }: StartedCall): Promise<CreatedTask | undefined> {
    const { store } = await this.#open()
    const { clock, ownerOf, prefix, kindOf } = this.#options
    const [owner, now] = [await ownerOf(work.caller), clock.now()]
    const kind = kindOf(tool)
    const others = [...this.#runs.values()].filter((other) => other.run.owner === owner && kindOf(other.tool) === kind)
    // The limit on a person's calls of a kind also applies to their running tasks; beyond it, a call stays an ordinary call. If all clients
    // share one account, there is no one to make room for.
    if (work.caller && others.length >= callsOfKind[kind]) return undefined
    const isUnknown = delivery ? true : undefined
    const task: Task = {
      id: randomUUID(),
      createdAt: now,
      updatedAt: now,
      status: 'working',
      tool: `${prefix}.${tool.name}`,
      work,
      run: '',
      attempts: 1,
      isUnknown,
    }
    const run = this.#runOf(task, { owner, tool, controller, stateOf, store, isResumed: false })
    const ended = working.then(
      () => true,
      () => true,
    )
    await store.add(owner, run.task)
    await onTask(run)
    if (await Promise.race([ended, Promise.resolve(false)])) {
      await store.remove(owner, task.id)
      return undefined
    }
    this.#follow(run, { tool, work, controller, working })
    delivery?.onEnd((wasWritten) => {
      if (wasWritten) run.know()
    })
    return createdTask(run.task)
  }

  /** Finds the task of an identical call that has been running here for a while, or whose caller may not know about it. */
  async joined(tool: ListedTool, args: unknown, caller: Caller | undefined): Promise<CreatedTask | undefined> {
    const { store } = await this.#open()
    const owner = await this.#options.ownerOf(caller)
    const name = `${this.#options.prefix}.${tool.name}`
    const now = this.#options.clock.now()
    for (const pending of await store.pending()) {
      if (pending.owner !== owner) continue
      const task = this.#runs.get(pending.id)?.run.task ?? (await store.get(owner, pending.id))
      if (task?.tool !== name) continue
      const isLost = task.isUnknown === true && now - task.createdAt < repeatMs
      const isRunning = this.#runs.has(task.id) && now - task.createdAt >= joinAfterMs
      const work = isLost || isRunning ? (task.work ?? (await store.workOf(owner, task.id))) : undefined
      if (work && work.key === undefined && isDeepStrictEqual(withoutNulls(work.given), withoutNulls(args))) return createdTask(task)
    }
    return undefined
  }

  /** The answer to `tasks/get`. A task that no process is working on is continued here. */
  async get(id: string, caller: Caller | undefined): Promise<JsonObject> {
    const { owner, task } = await this.#find(id, caller)
    const { clock } = this.#options
    if (task.status === 'working') await this.#takeOver({ owner, id })
    if (task.status === 'input_required' && task.question && clock.now() >= task.question.until)
      await this.#reply(owner, task, { responses: {}, at: task.question.until })
    return detailedTask(this.#runs.get(id)?.run.task ?? task)
  }

  /** All of a caller's stored tasks. */
  async list(caller: Caller | undefined): Promise<readonly Task[]> {
    const { store } = await this.#open()
    const stored = await store.list(await this.#options.ownerOf(caller))
    return stored.map((task) => this.#runs.get(task.id)?.run.task ?? task)
  }

  /** Continues with the answers to a task's questions. Answers to other questions are ignored. */
  async update(id: string, responses: JsonObject, caller: Caller | undefined): Promise<void> {
    const { owner, task } = await this.#find(id, caller)
    const asked = task.question?.requests ?? {}
    const answers = Object.entries(responses).filter(([key]) => Object.hasOwn(asked, key))
    if (task.status !== 'input_required' || answers.length === 0) return
    const named = Object.fromEntries(answers.map(([key, answer]) => [askedKeyOf(key), answer]))
    if (await this.#reply(owner, task, { responses: named, at: this.#options.clock.now() })) return
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'Another process is using the task, so the task did not get the answer. Send the answer again.',
    )
  }

  /** Stops a task's work, here or in the process doing it. */
  async cancel(id: string, caller: Caller | undefined): Promise<void> {
    const { owner, task } = await this.#find(id, caller)
    const { store } = await this.#open()
    const running = this.#runs.get(id)
    if (running) running.run.cancel()
    else if (task.status === 'working' || task.status === 'input_required') {
      const held = await store.hold(owner, id)
      const goesOn =
        held?.status === 'working' && this.#options.backgroundCalls.some((name) => held.tool === `${this.#options.prefix}.${name}`)
      if (!held) await store.askToCancel(owner, id)
      else if (goesOn) {
        await this.#start(owner, held, (run) => {
          run.cancelWithReport()
        })
      } else if (held.status === 'working' || held.status === 'input_required') {
        await this.#start(owner, held, (run) => {
          run.cancel()
        })
      } else await store.release(owner, id)
    }
  }

  /** Continues tasks that no process is working on. Never rejects. */
  async resume(): Promise<void> {
    try {
      const { store } = await this.#open()
      for (const each of await store.pending()) await this.#takeOver(each)
    } catch (error) {
      this.#options.log.warn('tasks were not resumed', errorFields(error))
    }
  }

  /** Leaves the work to the next process, and closes the store. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { run } of this.#runs.values()) run.leave()
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
    await (await this.#opening?.catch(() => undefined))?.close()
  }

  async #find(id: string, caller: Caller | undefined): Promise<{ readonly owner: string; readonly task: Task }> {
    const { store } = await this.#open()
    const owner = await this.#options.ownerOf(caller)
    const stored = await store.get(owner, id)
    // Another person's task counts as missing too.
    if (!stored) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task, or it has expired.')
    const run = this.#runs.get(id)?.run
    run?.know()
    if (stored.isUnknown === true && hasEnded(stored)) {
      await store.set(owner, { ...stored, isUnknown: undefined })
      await store.dropWork(owner, id)
      await store.unmark(id)
    }
    return { owner, task: run?.task ?? stored }
  }

  /** Continues a task, unless its question has already been answered. False if another process keeps the task. */
  async #reply(owner: string, { id, question }: Task, reply: NonNullable<TaskQuestion['reply']>): Promise<boolean> {
    const { store } = await this.#open()
    const isOpen = (task: Task | undefined) => task?.status === 'input_required' && task.question?.state === question?.state
    for (let count = 1; ; count += 1) {
      const held = await store.hold(owner, id)
      if (held && isOpen(held))
        await this.#start(owner, { ...held, status: 'working', message: undefined, question: held.question && { ...held.question, reply } })
      else if (held) await store.release(owner, id)
      if (held || !isOpen(await store.get(owner, id))) return true
      if (count === maxHolds) return false
      await setTimeout(holdRetryMs)
    }
  }

  async #takeOver({ owner, id }: PendingTask): Promise<void> {
    if (this.#isClosed || this.#runs.has(id) || this.#runs.size >= maxRuns) return
    const { store } = await this.#open()
    const stored = await store.get(owner, id)
    const isKnown = stored?.isUnknown !== true || this.#options.clock.now() - stored.createdAt >= repeatMs
    if (!stored || (hasEnded(stored) && isKnown)) await store.unmark(id)
    // A task waiting for an answer must stay free to receive it.
    if (stored?.status !== 'working') return
    const task = await store.hold(owner, id)
    if (task?.status === 'working') await this.#start(owner, task)
    else if (task) await store.release(owner, id)
  }

  /** Repeats the call of a task that this process holds: the key continues what an earlier run began. */
  async #start(owner: string, task: Task, onRun?: (run: TaskRun) => void): Promise<void> {
    const { store } = await this.#open()
    const { invoke, find, ownerOf, readOnly, waitForLink: waitFor, clock } = this.#options
    const { question, id } = task
    // Lets another run continue the task.
    const release = async (error: unknown) => {
      await store.release(owner, id)
      throw error
    }
    const [work, tool] = [await store.workOf(owner, id).catch(release), find(task.tool)]
    // The account may have changed since then, and the new account must not do the work.
    const isOwn = work && (await ownerOf(work.caller).catch(() => undefined)) === owner
    // Another process may have the tool, or may be allowed to write.
    if (!isOwn || !tool || (readOnly && tool.effect !== 'read')) {
      await store.release(owner, id)
      return
    }
    const controller = new AbortController()
    const stateOf = (asked: InputRequiredResult) => Promise.resolve(asked.requestState)
    const run = this.#runOf({ ...task, work, attempts: task.attempts + 1 }, { owner, tool, controller, stateOf, store, isResumed: true })
    onRun?.(run)
    await store.set(owner, run.task).catch(release)
    const call: RepeatableCall = {
      tool,
      args: work.given,
      ...(waitFor && {
        waitForLink: (link: string) => waitForLink(link, { waitFor, clock, signal: controller.signal, progress: run.report }),
      }),
    }
    const { reply } = question ?? {}
    const conversation = this.#elicitation.inTask(call, {
      args: work.args,
      state: question?.state,
      responses: reply?.responses,
      answeredAt: reply?.at ?? clock.now(),
      modes: work.modes,
    })
    const keyed =
      work.key === undefined ? { key: id, isLateKey: true, givenArguments: work.args } : { key: work.key, givenArguments: work.given }
    const options = { signal: controller.signal, progress: run.report, onOperation: run.follow, caller: work.caller, ...keyed }
    const converseOnce = async () => {
      controller.signal.throwIfAborted()
      if (task.attempts >= maxAttempts) throw new ProtocolError(ProtocolErrorCode.InternalError, 'The work was interrupted too often.')
      return converse(conversation, { tool, invoke, ...options })
    }
    const working = work.caller ? withCaller(work.caller, converseOnce) : converseOnce()
    this.#follow(run, { tool, work, controller, working })
  }

  #runOf(
    task: Task,
    { tool, ...options }: Pick<TaskRunOptions, 'owner' | 'store' | 'controller' | 'stateOf' | 'isResumed'> & Pick<StartedCall, 'tool'>,
  ): TaskRun {
    const { embedded, clock } = this.#options
    return new TaskRun(task, { ...options, effect: tool.effect, questionMs: this.#elicitation.timeoutMs, embedded, clock })
  }

  #follow(run: TaskRun, call: FollowedCall): void {
    const { id } = run.task
    const end = async () => {
      try {
        const task = await run.end(call.working, () => this.#record(run.task, call))
        if (hasEnded(task) && task.isUnknown !== true) await (await this.#open()).store.unmark(id)
      } catch (error) {
        this.#options.log.warn('the end of a task was not stored', errorFields(error))
      }
      this.#runs.delete(id)
    }
    this.#runs.set(id, { run, tool: call.tool, ended: end() })
  }

  async #record({ id, createdAt }: Task, { tool, work, controller: { signal }, working }: FollowedCall): Promise<void> {
    const { audit, clock } = this.#options
    const { caller, given: args, trace } = work
    const task = { id, ms: Math.max(0, clock.now() - createdAt) }
    await audit?.call({ caller, tool, args, trace, signal, task }, () => working).catch(() => undefined)
  }
}
