// Linear's own client against the emulator. It needs: npm install @linear/sdk
import { LinearClient } from '@linear/sdk'

const url = process.env.LINEAR_URL ?? 'http://127.0.0.1:4010'
const client = new LinearClient({ apiKey: process.env.LINEAR_API_KEY ?? 'lin_api_emulator', apiUrl: `${url}/graphql` })

const [team] = (await client.teams()).nodes
await client.createIssue({ teamId: team.id, title: 'Bake rye', priority: 2 })
const { nodes } = await client.issues({ filter: { title: { eq: 'Bake rye' } } })
for (const { title, priorityLabel } of nodes) console.log(`${title}: ${priorityLabel}`)
