// Customer.io's own client against the emulator. It needs: npm install customerio-node
// It lists every event, so start the emulator with --seed empty.
import { PipelinesClient } from 'customerio-node'

const url = process.env.PIPELINES_URL ?? 'http://127.0.0.1:4012'
const client = new PipelinesClient(process.env.PIPELINES_API_KEY ?? 'pipelines-emulator', { url: `${url}/v1` })

await client.track({ userId: 'ada', event: 'Order Completed', properties: { total: 42 } })

// The vendor does not tell what becomes of an event; the emulator does.
const { events } = await (await fetch(`${url}/__emulator/events`)).json()
for (const { event, outcome } of events) console.log(`${event}: ${outcome}`)
