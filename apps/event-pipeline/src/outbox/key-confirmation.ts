import { type Clock, raceAbort } from '@mcp-toolkits/core/base'
import { Message, RateLimited, ToolError, Unauthenticated, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import type { CallScope } from '@mcp-toolkits/core/tool'
import type { PipelinesClient, PostRequest } from '../pipelines/client.ts'
import { KeyEnded } from '@mcp-toolkits/server/account'
import { checkKey } from '../pipelines/key-check.ts'
import type { Destination, OutboxStore } from './outbox-store.ts'

/** Time, in milliseconds, for which this process relies on the last result before it asks the store or the vendor again. */
const rememberedMs = 10_000

export interface KeyConfirmationOptions {
  readonly store: Pick<OutboxStore, 'isKeyConfirmed' | 'setKeyConfirmed'>
  readonly client: PipelinesClient
  readonly destination: Destination
  readonly clock: Clock
}

/**
 * Confirms that the vendor accepts a destination's key. Without strict validation, the vendor returns 200 for a wrong key and drops the
 * event, so a strict request that stores nothing is sent before the first non-strict event.
 */
export class KeyConfirmation {
  readonly #options: KeyConfirmationOptions
  /** The last result: that the key is valid, or the vendor's refusal. */
  #known: { readonly at: number; readonly refusal: Unauthenticated | undefined } | undefined
  #checking: Promise<void> | undefined

  constructor(options: KeyConfirmationOptions) {
    this.#options = options
  }

  /**
   * Resolves once the key is confirmed. Throws the vendor's refusal, or the error of a check that got no response; does not wait while
   * the vendor accepts no requests.
   */
  async ensure(scope: CallScope, holds: PostRequest['holds'] = 'refuse'): Promise<void> {
    while (!(await this.#isConfirmed())) {
      if (!this.#checking) {
        this.#checking = this.#check(scope, holds).finally(() => {
          this.#checking = undefined
        })
        await this.#checking
        return
      }
      try {
        await raceAbort(this.#checking, scope.signal)
        return
      } catch (error) {
        // The call that was checking the key gave up; this call did not.
        if (error instanceof ToolError || scope.signal.aborted) throw error
      }
    }
  }

  /** Records that the vendor accepted a strict request. */
  async confirm(): Promise<void> {
    if (this.#known?.refusal || !(await this.#isConfirmed())) await this.#record(undefined)
  }

  /** Revokes the confirmation if the vendor refused the key. */
  async reconsider(error: unknown): Promise<void> {
    if (error instanceof Unauthenticated && !(error instanceof KeyEnded) && this.#known?.refusal !== error) await this.#record(error)
  }

  async #isConfirmed(): Promise<boolean> {
    const { store, destination, clock } = this.#options
    if (this.#known && clock.monotonic() - this.#known.at < rememberedMs) {
      if (this.#known.refusal) throw this.#known.refusal
      return true
    }
    // If the record cannot be read, the vendor is asked: a store problem must not decide an event's fate.
    const isConfirmed = await store.isKeyConfirmed(destination).catch(() => false)
    if (isConfirmed) this.#known = { at: clock.monotonic(), refusal: undefined }
    return isConfirmed
  }

  async #check(scope: CallScope, holds: PostRequest['holds']): Promise<void> {
    try {
      await checkKey(this.#options.client, scope, holds)
    } catch (error) {
      // Rethrown as is: as a different error, it would park the event for a different reason.
      if (error instanceof KeyEnded) throw error
      const failure = error instanceof ToolError ? unsent(error) : error
      await this.reconsider(failure)
      throw failure
    }
    await this.#record(undefined)
  }

  async #record(refusal: Unauthenticated | undefined): Promise<void> {
    const { store, destination, clock } = this.#options
    this.#known = { at: clock.monotonic(), refusal }
    await store.setKeyConfirmed(destination, refusal === undefined).catch(() => undefined)
  }
}

/** Turns an error from the check into one about an unsent event: only a refusal of the key says anything about the key. */
function unsent(error: ToolError): ToolError {
  const details = { ...error.details, sent: 'no' } as const
  const isOfKey = error instanceof Unauthenticated || error instanceof RateLimited || error instanceof Unavailable
  return isOfKey
    ? withDetails(error, error.text, details)
    : new Unavailable(Message.of('The key could not be checked.', error.text), details)
}
