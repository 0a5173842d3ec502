import { keyInGrant } from '@mcp-toolkits/auth/people/grant'
import { withGrantLock } from '@mcp-toolkits/auth/people/grant-store'
import type { Secret } from '@mcp-toolkits/core'
import type { AccountRef, PeopleState } from '@mcp-toolkits/core/people'
import type { WaitingWork, WorkForKeys } from '../definition.ts'
import { type Log, errorFields } from '../log.ts'

/** What waits for keys that people have entered. Nothing is done with a key that its person has removed or replaced. */
export class KeyedWork {
  readonly #state: PeopleState
  readonly #work: WorkForKeys
  readonly #log: Pick<Log, 'warn'>

  constructor(state: PeopleState, work: WorkForKeys, log: Pick<Log, 'warn'>) {
    this.#state = state
    this.#work = work
    this.#log = log
  }

  /** The accounts for whose present keys something waits. What waits for other keys is parked. */
  async accounts(): Promise<readonly AccountRef[]> {
    const accounts: AccountRef[] = []
    for (const work of await this.#work.waiting()) {
      const { account } = work
      try {
        if (isFor(work, await this.#keyOf(account))) accounts.push(account)
        else await this.#parkOthers(account, [work])
      } catch (error) {
        // Such as a grant that no present vault key opens, which does not keep others from their work.
        this.#log.warn('work that waits for a key was not checked', { person: account.owner, ...errorFields(error) })
      }
    }
    return accounts
  }

  /** Whether that is the present key of an account. What waits for a former one is parked when this resolves with false. */
  async parkUnlessPresent(account: AccountRef, key: Secret): Promise<boolean> {
    if ((await this.#keyOf(account))?.reveal() === key.reveal()) return true
    await this.settle(account)
    return false
  }

  /** Parks what waits for other keys than the present one of an account, and opens again what was parked when the present one ended earlier. */
  async settle(account: AccountRef): Promise<{ readonly parked: number; readonly reopened: number }> {
    const waiting = await this.#work.waiting()
    const ofAccount = waiting.filter((work) => work.account.owner === account.owner && work.account.profile === account.profile)
    return this.#parkOthers(account, ofAccount)
  }

  /** Under the lock of the grant, so that no replica acts on a key which another one has replaced meanwhile. */
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
