import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { limitConnectionsByAddress } from './client-requests.ts'

/** A connection that came from an address. */
class ConnectionFrom extends Socket {
  override readonly remoteAddress: string

  constructor(address: string) {
    super()
    this.remoteAddress = address
  }
}

function connector(maxConnectionsPerAddress: number) {
  const limit = limitConnectionsByAddress({ maxConnectionsPerAddress })
  return (address: string) => {
    const socket = new ConnectionFrom(address)
    limit(socket)
    return socket
  }
}

it('closes the connections that one address has too many of', () => {
  const connect = connector(2)
  const sockets = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '2001:db8::1', '192.0.2.1'].map(connect)
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true, false, true])
})

it('has room again when a connection has closed, and counts no refused one', () => {
  const connect = connector(1)
  const first = connect('192.0.2.1')
  connect('192.0.2.1').emit('close')
  expect(connect('192.0.2.1').destroyed).toBe(true)
  first.emit('close')
  expect(['192.0.2.1', '192.0.2.1'].map((address) => connect(address).destroyed)).toEqual([false, true])
})

it.each(['127.0.0.1', '127.8.9.1', '::ffff:127.0.0.1', '::1'])('does not limit %s, which a proxy on this machine uses', (address) => {
  const connect = connector(1)
  expect([connect(address), connect(address)].map(({ destroyed }) => destroyed)).toEqual([false, false])
})
