import { assumedOn, defineEmulator, integer, text, type Emulator, type Exchange, type Rules } from '@mcp-toolkits/emulator'
import { Hono } from 'hono'

/** The day the assumptions were made. */
const assumed = assumedOn('2026-11-28')

/** The vendor's behaviour: `documented` by a page, `seen` in public, or `assumed`; the emulator's own choices are `own`. */
export const rules = {
  'account/key-required': assumed.refusal('A request without a valid key gets a 401 response.', 'as HTTP specifies'),
  'users/me': assumed.result("GET /v1/me returns the key's user.", 'many APIs have such a route'),
} satisfies Rules

const migrations = ['CREATE TABLE user (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL) STRICT']
const User = { number: integer, id: text, name: text, email: text }

export interface SampleServerEmulatorOptions {
  /** Path of the database; in memory by default. */
  readonly file?: string
  readonly key?: string
}

export function sampleServerEmulator({ file, key = 'sample-server-emulator' }: SampleServerEmulatorOptions = {}): Emulator<object> {
  return defineEmulator({
    service: 'Sample Server',
    ...(file !== undefined && { file }),
    migrations,
    seed: (store) => {
      const user = { id: 'u1', name: 'Robin Vance', email: 'robin.vance@lodestar.example' }
      store.run('INSERT INTO user (id, name, email) VALUES (:id, :name, :email)', user)
    },
    rules,
    build: ({ store }) => {
      const app = new Hono<{ Bindings: Exchange }>()
      app.use('/v1/*', async (context, next) => {
        if (context.req.header('authorization') === `Basic ${btoa(`${key}:`)}`) return next()
        return context.json({ error: 'unauthorized' }, 401)
      })
      app.get('/v1/me', (context) => {
        const [user] = store.rows(User, 'SELECT number, id, name, email FROM user LIMIT 1')
        return user ? context.json({ id: user.id, name: user.name, email: user.email }) : context.json({ error: 'not found' }, 404)
      })
      return { routes: app, readers: {} }
    },
  })
}
