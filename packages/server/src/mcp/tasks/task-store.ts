import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type ExpiringRecords, isObject, parseJson, stringMember } from '@mcp-toolkits/core/base'
import { pendingTasks } from './pending.ts'
import { maxKeptBytes, surplus } from '../../storage/contents.ts'
import { hasEnded, readTask, readWork, type Task, taskLifetimeMs, type TaskWork, workLifetimeMs } from './task.ts'

/** Names a task without its content, so that abandoned tasks can be found. */
export interface PendingTask {
  readonly owner: string
  readonly id: string
}

/** Marks for unfinished tasks. */
export interface PendingMarks {
  readonly add: (task: PendingTask) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  readonly list: () => Promise<readonly PendingTask[]>
}

const isPendingTask = (value: unknown): value is PendingTask =>
  isObject(value) && stringMember(value, 'owner') !== undefined && stringMember(value, 'id') !== undefined

const readMark = (text: string): PendingTask[] => {
  const mark = parseJson(text)
  return isPendingTask(mark) ? [mark] : []
}

/** Marks as files in a private directory. */
export function fileMarks(directory: string): PendingMarks {
  const fileOf = (id: string) => path.join(directory, `${id}.json`)
  return {
    async add(task) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      await writeFile(fileOf(task.id), JSON.stringify(task), { mode: 0o600 })
    },
    remove: (id) => rm(fileOf(id), { force: true }),
    async list() {
      const names = await readdir(directory).catch(() => [])
      // A task that has just ended has no mark.
      const texts = await Promise.all(names.map(async (name) => readFile(path.join(directory, name), 'utf8').catch(() => '')))
      return texts.flatMap(readMark)
    },
  }
}

/** Marks as records shared by a server's replicas. */
export function sharedMarks(records: ExpiringRecords): PendingMarks {
  return {
    add: (task) => records.set({ ...pendingTasks, name: task.id }, JSON.stringify(task), 2 * taskLifetimeMs),
    remove: (id) => records.delete({ ...pendingTasks, name: id }),
    list: async () => (await records.list(pendingTasks)).flatMap(({ text }) => readMark(text)),
  }
}

/** Records of tasks, with marks of the unfinished ones. */
export class TaskStore {
  readonly #records: ExpiringRecords
  readonly #marks: PendingMarks
  readonly #maxBytes: number

  /** The ended tasks of one owner may take up to `maxBytes`. */
  constructor(records: ExpiringRecords, marks: PendingMarks, maxBytes = maxKeptBytes) {
    this.#records = records
    this.#marks = marks
    this.#maxBytes = maxBytes
  }

  /** Adds a task, which this process then holds. The task is on disk when this resolves. */
  async add(owner: string, task: Task): Promise<void> {
    // The mark is written last: until then, no other process finds the task, and a repeated call continues the operation.
    if (task.work) await this.#records.set(workKeyOf(owner, task.id), JSON.stringify(task.work), workLifetimeMs)
    await this.set(owner, task)
    await this.#records.hold(keyOf(owner, task.id))
    await this.#marks.add({ owner, id: task.id })
  }

  /** Returns the task without its work, as do `hold` and `list`. */
  async get(owner: string, id: string): Promise<Task | undefined> {
    const text = await this.#records.get(keyOf(owner, id))
    return text === undefined ? undefined : readTask(text)
  }

  async list(owner: string): Promise<readonly Task[]> {
    const stored = await this.#records.list({ owner, kind: 'task' })
    return stored.flatMap(({ text }) => readTask(text) ?? [])
  }

  /** Stores all but the work, whose arguments can take megabytes and never change. */
  async set(owner: string, task: Task): Promise<void> {
    const text = JSON.stringify({ ...task, work: undefined })
    if (hasEnded(task)) await this.#makeRoom(owner, task, Buffer.byteLength(text))
    await this.#records.set(keyOf(owner, task.id), text, taskLifetimeMs)
  }

  /** Deletes the oldest ended tasks to make room for a newly ended one. */
  async #makeRoom(owner: string, { id, updatedAt }: Task, bytes: number): Promise<void> {
    const stored = (await this.#records.list({ owner, kind: sizeKind })).map(({ name, text }) => {
      const [expiresAt = 0, size = 0] = text.split(' ').map(Number)
      return { id: name, bytes: size, expiresAt }
    })
    const expiresAt = updatedAt + taskLifetimeMs
    const others = stored.filter((other) => other.id !== id).toSorted((one, other) => one.expiresAt - other.expiresAt)
    for (const { id: oldest } of surplus([...others, { id, bytes, expiresAt }], updatedAt, this.#maxBytes)) {
      await this.#records.delete({ owner, kind: sizeKind, name: oldest })
      await this.remove(owner, oldest)
    }
    await this.#records.set({ owner, kind: sizeKind, name: id }, `${expiresAt} ${bytes}`, taskLifetimeMs)
  }

  async workOf(owner: string, id: string): Promise<TaskWork | undefined> {
    const text = await this.#records.get(workKeyOf(owner, id))
    return text === undefined ? undefined : readWork(text)
  }

  /** Deletes an ended task's work. */
  async dropWork(owner: string, id: string): Promise<void> {
    await this.#records.delete(workKeyOf(owner, id))
  }

  /** Deletes a task that its caller does not know about. */
  async remove(owner: string, id: string): Promise<void> {
    await this.#records.delete(keyOf(owner, id))
    await this.dropWork(owner, id)
    await this.#marks.remove(id)
  }

  /** Reserves a task for this process; undefined while another process holds it. */
  async hold(owner: string, id: string): Promise<Task | undefined> {
    const text = await this.#records.hold(keyOf(owner, id))
    return text === undefined ? undefined : readTask(text)
  }

  async release(owner: string, id: string): Promise<void> {
    await this.#records.release(keyOf(owner, id))
  }

  /** Asks the process that works on a task to stop. */
  async askToCancel(owner: string, id: string): Promise<void> {
    await this.#records.set(cancelKeyOf(owner, id), '', taskLifetimeMs)
  }

  async isAskedToCancel(owner: string, id: string): Promise<boolean> {
    return (await this.#records.get(cancelKeyOf(owner, id))) !== undefined
  }

  pending(): Promise<readonly PendingTask[]> {
    return this.#marks.list()
  }

  async unmark(id: string): Promise<void> {
    await this.#marks.remove(id)
  }
}

/** Kind of record for ended tasks' sizes, which can be listed without the results. */
const sizeKind = 'size of a task'
const keyOf = (owner: string, name: string) => ({ owner, kind: 'task', name })
const workKeyOf = (owner: string, name: string) => ({ owner, kind: 'work of a task', name })
const cancelKeyOf = (owner: string, name: string) => ({ owner, kind: 'cancelled task', name })
