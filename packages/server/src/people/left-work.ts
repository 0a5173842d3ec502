import type { Clock, Timer } from '@mcp-toolkits/core/clock'
import type { Caller, PeopleState } from '@mcp-toolkits/core/people'
import { type Log, throwSite } from '../log.ts'
import type { PersonAccount } from './accounts-toolbox.ts'
import type { Connections } from './connections.ts'

/** How often a server looks for work that other replicas have left, in milliseconds. */
const lookMs = 5 * 60_000

export interface LeftWorkOptions<Context> {
  readonly state: PeopleState
  readonly connections: Connections<Context>
  readonly accountOf: (caller: Caller) => Promise<PersonAccount<Context>>
  readonly log: Pick<Log, 'warn'>
  readonly clock: Clock
}

/**
 * Continues what calls of people have left: a connection is opened for each person who has such work, and stays open until it is done.
 * Calls of the person do not have to come first.
 */
export class LeftWork<Context> {
  readonly #options: LeftWorkOptions<Context>
  #timer: Timer | undefined
  /** The latest look, which never rejects. */
  #look: Promise<void> | undefined
  #isClosed = false

  constructor(options: LeftWorkOptions<Context>) {
    this.#options = options
  }

  /** Looks at once, and with `repeats` again from time to time, because other replicas may end or die. Never rejects. */
  async resume({ repeats }: { readonly repeats: boolean }): Promise<void> {
    await (this.#look = this.#resumeAll())
    if (!repeats || this.#isClosed) return
    this.#timer ??= this.#options.clock.timer(lookMs, () => {
      this.#look = this.#resumeAll().finally(() => {
        if (!this.#isClosed) this.#timer?.restart()
      })
    })
    this.#timer.unref()
  }

  /** Resolves when a look under way has ended. From then on no connection is opened. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#look
  }

  async #resumeAll(): Promise<void> {
    const { state, log } = this.#options
    try {
      for (const { profiles, ...person } of await state.people.list()) {
        for (const profile of profiles) await this.#resumeAccount({ ...person, profile, clientId: '', permissions: ['read'] })
      }
    } catch (error) {
      log.warn('not resumed', throwSite(error))
    }
  }

  async #resumeAccount(person: Caller): Promise<void> {
    const { connections, accountOf, log } = this.#options
    if (this.#isClosed) return
    try {
      const account = await accountOf(person)
      if (connections.has(account.name)) return
      const opened = await account.open()
      let isPooled = false
      try {
        const hasWork = await opened.hasWork?.()
        isPooled = hasWork === true && (await this.#pool(account, opened))
      } finally {
        if (!isPooled) await opened.close()
      }
    } catch (error) {
      log.warn('not resumed', { person: person.owner, ...throwSite(error) })
    }
  }

  /** Whether the pool has taken the connection: a call of the person may have opened another one in between. A closed one takes none. */
  async #pool(account: PersonAccount<Context>, opened: Awaited<ReturnType<PersonAccount<Context>['open']>>): Promise<boolean> {
    if (this.#isClosed) return false
    return this.#options.connections.use(
      account.name,
      () => Promise.resolve(opened),
      async (connection) => {
        const pooled = await connection()
        pooled.resume?.()
        return pooled === opened
      },
    )
  }
}
