// A Customer.io with many events, and what people and programs ask of it most.
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import { copyRows, openForPlanting } from './copies.ts'
import type { ScaledEmulator, ScaleRequest } from './scaled-emulator.ts'

/** The copies of every tenth round are of the same people, so that some of them have done much. */
const personOf = (column: string) => `case when k % 10 = 0 then t.${column} else t.${column} || '-' || k end`

async function plant(file: string, count: number): Promise<void> {
  const emulator = pipelinesEmulator({ file, seed: 'company' })
  await emulator.close()
  using database = openForPlanting(file)
  const changes = { message_id: "t.message_id || '-' || k", user_id: personOf('user_id'), anonymous_id: personOf('anonymous_id') }
  copyRows(database, { tables: [{ table: 'events', changes }], count })
}

const page = (name: string, path: string): ScaleRequest => ({ kind: 'page', name, path: `/workspace${path}` })

const send = (endpoint: string, body: (number: number) => object, name = `\`${endpoint}\``): ScaleRequest => ({
  kind: 'query',
  ...{ name, method: 'POST', path: `/v1/${endpoint}`, body },
})

const track = (number: number) => ({ userId: 'measured', event: 'Measured', properties: { number }, messageId: `measured-${number}` })

const batch = (length: number) =>
  send(
    'batch',
    (number) => ({
      batch: Array.from({ length }, (_, index) => ({ ...track(number), type: 'track', messageId: `batch-${length}-${number}-${index}` })),
    }),
    `\`batch\` of ${length}`,
  )

export const pipelines: ScaledEmulator = {
  name: 'pipelines-emulator',
  records: 'events',
  count: 1_000_000,
  file: 'pipelines.db',
  authorization: `Basic ${Buffer.from('pipelines-emulator:').toString('base64')}`,
  plant,
  requests(file) {
    using database = openForPlanting(file)
    const person = database
      .prepare('select user_id as id from events where id <= 600 and user_id is not null group by 1 order by count(*) desc limit 1')
      .get()
    const id = String(person?.['id'])
    return [
      page('events', '/events'),
      page('older events', '/events?before=600'),
      page('event', '/event/500'),
      page('person', `/person?id=${encodeURIComponent(id)}`),
      page('requests', '/requests'),
      send('identify', (number) => ({ userId: 'measured', traits: { email: 'measured@example.com', number } })),
      send('track', track),
      send('page', (number) => ({ userId: 'measured', name: `Page ${number}` })),
      send('screen', (number) => ({ userId: 'measured', name: `Screen ${number}` })),
      send('group', (number) => ({ groupId: 'measured', userId: 'measured', traits: { number } })),
      send('alias', (number) => ({ userId: 'measured', previousId: `before-${number}` })),
      send('track', () => track(-1), '`track` with a repeated `messageId`'),
      batch(1),
      batch(10),
      batch(100),
    ]
  },
}
