import { createHash } from 'node:crypto'
import { once } from '@mcp-toolkits/core/async'
import type { CallScope } from '@mcp-toolkits/core/call-scope'
import type { IdempotencyStore, OperationRequest } from '@mcp-toolkits/core/idempotency'
import { canonicalJson } from '@mcp-toolkits/core/json'
import { CallOperation } from '@mcp-toolkits/core/operation'

/** A call as far as its operation is concerned. */
export interface OperationCall extends Pick<OperationRequest, 'account' | 'tool' | 'key'> {
  readonly args: unknown
  readonly scope: CallScope
}

/** The operations of a toolbox's calls, and the store of their records, which is opened with the first of them. */
export class Operations {
  readonly #openStore: () => Promise<IdempotencyStore>

  constructor(openStore: () => Promise<IdempotencyStore>) {
    this.#openStore = once(openStore)
  }

  readonly forCall = ({ account, tool, key, args, scope: { clock, signal } }: OperationCall): CallOperation => {
    const argumentsHash = createHash('sha256').update(canonicalJson(args)).digest('base64url')
    return new CallOperation({ request: { account, tool, argumentsHash, key }, store: this.#openStore, clock, signal })
  }
}
