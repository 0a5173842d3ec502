import { keyInGrant, withGrantLock } from './grants.ts'
import type { AccountRef, Caller, Clock, PeopleState, Timer } from '@mcp-toolkits/core/base'
import { storageFailure, withDetails } from '@mcp-toolkits/core/errors'
import type { Fetch, Secret } from '@mcp-toolkits/core/upstream'
import { KeyEnded } from '@mcp-toolkits/server/account'
import type { WaitingWork, WorkForKeys } from '@mcp-toolkits/server'
import { errorFields, type Log } from '@mcp-toolkits/server/mcp'
import type { PersonAccount } from './people-toolbox-base.ts'
import type { Connections } from './connection-pool.ts'

/** Interval, in milliseconds, at which a server looks for work that other replicas have left behind. */
const pollMs = 60_000

export interface PendingWorkOptions<Context> {
  readonly state: PeopleState
  readonly connections: Connections<Context>
  readonly accountOf: (caller: Caller) => Promise<PersonAccount<Context>>
  /** Finds the accounts with work. If the result is undefined, every account is checked. */
  readonly accounts?: (() => Promise<readonly AccountRef[] | undefined>) | undefined
  readonly log: Pick<Log, 'warn'>
  readonly clock: Clock
}

/**
 * Continues work that people's calls left unfinished, without new calls from them. Each person with such work gets a connection, which
 * stays open until the work is done.
 */
export class PendingWork<Context> {
  readonly #options: PendingWorkOptions<Context>
  #timer: Timer | undefined
  /** The latest poll. It begins once the previous poll has ended, and never rejects. */
  #poll = Promise.resolve()
  #isClosed = false

  constructor(options: PendingWorkOptions<Context>) {
    this.#options = options
  }

  /** Looks for work at once and every minute, because other replicas may stop or die. Never rejects. */
  async resume(): Promise<void> {
    await this.poll()
    if (this.#isClosed) return
    this.#timer ??= this.#options.clock.timer(pollMs, () => {
      void this.poll().finally(() => {
        if (!this.#isClosed) this.#timer?.restart()
      })
    })
    this.#timer.unref()
  }

  /** Looks for work once, after any running poll. Never rejects. */
  poll(): Promise<void> {
    return (this.#poll = this.#poll.then(() => this.#resumeAll()))
  }

  /** Stops looking. Resolves once a running poll has ended; after that, no connection is opened. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#poll
  }

  async #resumeAll(): Promise<void> {
    const { state, accounts, log } = this.#options
    if (this.#isClosed) return
    try {
      const found = await accounts?.()
      const working = found && new Set(found.map(nameOf))
      if (working?.size === 0) return
      for (const { profiles, ...person } of await state.people.list()) {
        const own = profiles.filter((profile) => !working || working.has(nameOf({ ...person, profile })))
        for (const profile of own) await this.#resumeAccount({ ...person, profile, clientId: '', permissions: ['read'] })
      }
    } catch (error) {
      log.warn('not resumed', errorFields(error))
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
      log.warn('not resumed', { person: person.owner, ...errorFields(error) })
    }
  }

  /**
   * Adds the connection to the pool. False if the pool refuses it, because the person's own call has opened a different connection or the
   * pool is closed.
   */
  async #pool(account: PersonAccount<Context>, opened: Awaited<ReturnType<PersonAccount<Context>['open']>>): Promise<boolean> {
    if (this.#isClosed) return false
    const { connection, release } = this.#options.connections.hold(account.name, () => Promise.resolve(opened))
    try {
      const pooled = await connection()
      pooled.resume?.()
      return pooled === opened
    } finally {
      release()
    }
  }
}

const nameOf = ({ owner, profile }: AccountRef) => JSON.stringify([owner, profile])

/** Compares the keys of waiting work with people's current keys. No work is done with a removed or replaced key. */
export class WorkReconciler {
  readonly #state: PeopleState
  readonly #work: WorkForKeys
  readonly #log: Pick<Log, 'warn'>

  constructor(state: PeopleState, work: WorkForKeys, log: Pick<Log, 'warn'>) {
    this.#state = state
    this.#work = work
    this.#log = log
  }

  /** Accounts with work for their current key. Work for other keys is put on hold. */
  async accounts(): Promise<readonly AccountRef[]> {
    const accounts: AccountRef[] = []
    for (const work of await this.#work.waiting()) {
      const { account } = work
      try {
        if (isFor(work, await this.#keyOf(account))) accounts.push(account)
        else await this.#parkOthers(account, [work])
      } catch (error) {
        // One bad account, such as one whose vault key is missing, must not stop other people's work.
        this.#log.warn('could not check work waiting for a key', { person: account.owner, ...errorFields(error) })
      }
    }
    return accounts
  }

  /** A fetch that throws `KeyEnded` if the person has removed or replaced the key, and `Unavailable` if that cannot be determined. */
  fetchWith(account: AccountRef, key: Secret, fetch: Fetch = globalThis.fetch): Fetch {
    return async (input, init) => {
      const isPresent = await this.#parkUnlessPresent(account, key).catch((error: unknown) => {
        const failure = storageFailure(error)
        throw failure ? withDetails(failure, failure.text, { ...failure.details, sent: 'no' }) : error
      })
      if (!isPresent) throw new KeyEnded('The person has removed or replaced the API key for this event.')
      return fetch(input, init)
    }
  }

  async #parkUnlessPresent(account: AccountRef, key: Secret): Promise<boolean> {
    if ((await this.#keyOf(account))?.reveal() === key.reveal()) return true
    await this.reconcile(account)
    return false
  }

  /**
   * Puts an account's work for any key but its current one on hold. Resumes work that was put on hold when the current key was removed
   * earlier.
   */
  async reconcile(account: AccountRef): Promise<{ readonly parked: number; readonly reopened: number }> {
    const waiting = await this.#work.waiting()
    const ofAccount = waiting.filter((work) => work.account.owner === account.owner && work.account.profile === account.profile)
    return this.#parkOthers(account, ofAccount)
  }

  /** Holds the grant's lock, so that no replica acts on a key that another has just replaced. */
  #parkOthers(account: AccountRef, waiting: readonly WaitingWork[]): Promise<{ readonly parked: number; readonly reopened: number }> {
    return withGrantLock(this.#state, account, async () => {
      const key = await this.#keyOf(account)
      let parked = 0
      for (const work of waiting) if (!isFor(work, key)) parked += await work.park()
      return { parked, reopened: key ? await this.#work.reopen(account, key) : 0 }
    })
  }

  async #keyOf(account: AccountRef): Promise<Secret | undefined> {
    const grant = await this.#state.people.grants.read(account)
    return grant === undefined ? undefined : keyInGrant(grant)
  }
}

const isFor = (work: WaitingWork, key: Secret | undefined) => key !== undefined && work.isFor(key)
