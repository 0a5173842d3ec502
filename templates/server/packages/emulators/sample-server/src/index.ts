import { randomUUID } from 'node:crypto'
import { defineEmulator, type Emulator, type Exchange, isObject, parseJson, text } from '@mcp-toolkits/emulator'
import { Hono } from 'hono'
import { sampleServerRules } from './rules.ts'

export { sampleServerRules } from './rules.ts'

const migrations = ['CREATE TABLE item (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT']
const Item = { id: text, name: text }

export interface SampleServerEmulatorOptions {
  /** Path of the database; in memory by default. */
  readonly file?: string
  readonly key?: string
}

/** To do: the vendor's own tables, seed and routes, from its documentation. */
export function sampleServerEmulator({ file, key = 'sample-server-emulator' }: SampleServerEmulatorOptions = {}): Emulator<object> {
  return defineEmulator({
    service: 'Sample Vendor',
    ...(file !== undefined && { file }),
    migrations,
    seed: (store) => {
      store.run('INSERT INTO item (id, name) VALUES (:id, :name)', { id: 'i1', name: 'Sample' })
    },
    rules: sampleServerRules,
    build: ({ store }) => {
      const app = new Hono<{ Bindings: Exchange }>()
      app.use('/v1/*', async (context, next) => {
        if (context.req.header('authorization') === `Basic ${btoa(`${key}:`)}`) return next()
        return context.json({ error: 'unauthorized' }, 401)
      })
      app.post('/v1/items', async (context) => {
        const body = parseJson(await context.req.text())
        const name = isObject(body) ? body['name'] : undefined
        if (typeof name !== 'string') return context.json({ error: 'name is required' }, 400)
        const id = randomUUID()
        store.run('INSERT INTO item (id, name) VALUES (:id, :name)', { id, name })
        return context.json({ id }, 201)
      })
      app.get('/v1/items/:id', (context) => {
        const [item] = store.rows(Item, 'SELECT id, name FROM item WHERE id = :id', { id: context.req.param('id') })
        return item ? context.json({ id: item.id, name: item.name }) : context.json({ error: 'not found' }, 404)
      })
      return { routes: app, readers: {} }
    },
  })
}
