import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT } from '@opentelemetry/api'

/** The span that the running code belongs to. It is no global of OpenTelemetry, so that several servers of one process stay apart. */
export class ActiveSpan {
  readonly #contexts = new AsyncLocalStorage<Context>()

  /** The context of the span, or one without any. */
  get context(): Context {
    return this.#contexts.getStore() ?? ROOT_CONTEXT
  }

  run<Result>(context: Context, work: () => Result): Result {
    return this.#contexts.run(context, work)
  }
}
