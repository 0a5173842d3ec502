import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { Connections } from './connections.ts'

/** A connection that is open until something closes it. */
class TestConnection extends EventEmitter {
  destroyed = false

  destroy(): this {
    this.destroyed = true
    this.emit('close')
    return this
  }
}

function open(maxUnknownConnections: number) {
  const connections = new Connections({ maxUnknownConnections })
  const connect = () => {
    const connection = new TestConnection()
    connections.add(connection)
    return connection
  }
  return { connections, connect }
}

const isClosed = ({ destroyed }: TestConnection) => destroyed

it('closes the connection that has carried nothing for longest when there are too many', () => {
  const { connect } = open(2)
  const all = Array.from({ length: 5 }, connect)
  expect(all.map(isClosed)).toEqual([true, true, true, false, false])
})

it('has room again when a connection has closed', () => {
  const { connect } = open(2)
  const [first, second] = [connect(), connect()]
  second.destroy()
  expect([first, connect()].map(isClosed)).toEqual([false, false])
})

it('closes none with a request that is being answered, and counts from its answer on', () => {
  const { connections, connect } = open(2)
  const response = new EventEmitter()
  const busy = connect()
  connections.keep(busy, response)
  const others = Array.from({ length: 3 }, connect)
  expect([busy, ...others].map(isClosed)).toEqual([false, true, false, false])
  response.emit('close')
  expect([busy, ...others].map(isClosed)).toEqual([false, true, true, false])
})
