import type { HttpLimits } from './limits.ts'

/** Anything that reports its end. */
interface Closable {
  once(event: 'close', listener: () => void): unknown
}

/** The parts of a connection needed to limit it. */
interface Connection extends Closable {
  readonly destroyed: boolean
  destroy(): unknown
}

/**
 * Limits connections with no known sender: those without a request, with an incomplete request, or with a request whose sender is unknown.
 * Beyond the limit, the connection that has been in this state longest is closed, so a complete request is answered no matter how many
 * others never complete. A limit per address would not work: behind a proxy, all clients would share it.
 */
export class Connections {
  readonly #max: number
  /** The limited connections, starting with the one that has been limited longest. */
  readonly #unknown = new Set<Connection>()

  constructor({ maxUnknownConnections }: Pick<HttpLimits, 'maxUnknownConnections'>) {
    this.#max = maxUnknownConnections
  }

  add(connection: Connection): void {
    this.#addLast(connection)
    connection.once('close', () => this.#unknown.delete(connection))
  }

  /** Protects a connection until it has carried the response to a known sender. */
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
