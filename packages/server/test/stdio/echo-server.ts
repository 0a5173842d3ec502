import { connecting } from '../acme.ts'
import { Pagination } from '@mcp-toolkits/core/references'
import { toolkit, type Tool } from '@mcp-toolkits/core/tool'
import { defineServer, type ServerDefinition, type Settings } from '../../src/index.ts'
import { describeTool } from '../describe.ts'

/** Borrowed from core's schemas, because this package has no schema library. */
export const flag = Pagination.shape.has_more
export const text = Pagination.shape.end_cursor.unwrap()
export const nothing = Pagination.omit({ has_more: true, end_cursor: true }).strict()

/** Holds calls until a test lets them go. */
export class Gate {
  readonly aborted: string[] = []
  readonly #held: (() => void)[] = []
  #isOpen = false
  #entered: { readonly count: number; readonly resolve: () => void } | undefined

  /** Resolves when that many calls are inside. */
  async holds(count: number): Promise<void> {
    if (this.#held.length >= count) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#entered = {
      count,
      resolve: () => {
        resolve(undefined)
      },
    }
    await promise
  }

  release(): void {
    for (const go of this.#held.splice(0)) go()
  }

  /** Stops holding calls. */
  open(): void {
    this.#isOpen = true
    this.release()
  }

  async pass(name: string, signal: AbortSignal): Promise<void> {
    if (this.#isOpen) return
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const stop = () => {
      this.aborted.push(name)
      reject(new Error('aborted'))
    }
    signal.addEventListener('abort', stop)
    this.#held.push(() => {
      signal.removeEventListener('abort', stop)
      resolve(undefined)
    })
    if (this.#entered && this.#held.length >= this.#entered.count) this.#entered.resolve()
    await promise
  }
}

const defineTool = toolkit<Gate, 'none'>()
const described = {
  title: 'T',
  description: 'D',
  effect: 'read',
  scopes: [],
  input: nothing.extend({ text }),
  output: nothing.extend({ text }),
  example: { text: 'Hello' },
} as const

const tools: readonly Tool<Gate>[] = [
  defineTool({ ...described, name: 'Say', run: (args) => Promise.resolve(args) }),
  defineTool({
    ...described,
    name: 'Wait',
    async run(args, gate, { signal }) {
      await gate.pass(args.text, signal)
      return args
    },
  }),
]

/** A server with two tools: one answers at once, one when the gate opens. */
export function echoServer(gate: Gate): ServerDefinition<Gate> {
  return defineServer<Gate>({
    name: 'echo',
    title: 'Echo',
    version: '1.0.0',
    prefix: 'Echo',
    shortName: 'echo',
    vendor: 'Nobody',
    instructions: 'Says it again.',
    connectHint: '',
    listedTools: tools.map((tool) => describeTool(tool)),
    upstream: () => ({ kind: 'vendor', url: 'https://nobody.example' }),
    load: { tools: () => Promise.resolve(tools), connector: connecting(gate) },
  })
}

export const settings: Settings = { embedded: false, dataDirectory: '', readOnly: false, toolNames: 'safe', environment: {} }
