import type { HttpLimits } from './limits.ts'

/** A response as far as its end is concerned. */
interface Closable {
  once(event: 'close', listener: () => void): unknown
}

/** A connection as far as its limit is concerned. */
interface Connection extends Closable {
  readonly destroyed: boolean
  destroy(): unknown
}

/**
 * Limits the connections on which nothing is answered for anyone known: without a request, with one that has not arrived yet, or with one
 * whose sender is unknown. Beyond the limit the one that has been so for longest makes room. So a request that arrives is answered no
 * matter how many others never do, and no address needs a limit: behind a proxy it would be that of all clients.
 */
export class Connections {
  readonly #max: number
  /** The one that has been so for longest comes first. */
  readonly #unknown = new Set<Connection>()

  constructor({ maxUnknownConnections }: Pick<HttpLimits, 'maxUnknownConnections'>) {
    this.#max = maxUnknownConnections
  }

  add(connection: Connection): void {
    this.#addLast(connection)
    connection.once('close', () => this.#unknown.delete(connection))
  }

  /** A request has arrived that is answered for someone known: until then its connection makes room for none. */
  keep(connection: Connection, response: Closable): void {
    this.#unknown.delete(connection)
    response.once('close', () => {
      if (!connection.destroyed) this.#addLast(connection)
    })
  }

  #addLast(connection: Connection): void {
    this.#unknown.add(connection)
    const [first] = this.#unknown
    if (!first || this.#unknown.size <= this.#max) return
    this.#unknown.delete(first)
    first.destroy()
  }
}
