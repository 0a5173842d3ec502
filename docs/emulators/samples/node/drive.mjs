// Google's own client against the emulator. It needs: npm install @googleapis/drive (`google.drive` of googleapis is the same).
import { drive } from '@googleapis/drive'

const url = process.env.DRIVE_URL ?? 'http://127.0.0.1:4011'
// Uploads go to Google unless each call says where.
const options = { rootUrl: `${url}/`, headers: { authorization: `Bearer ${process.env.DRIVE_TOKEN ?? 'drive-emulator'}` } }
const { files } = drive('v3')

const media = { mimeType: 'text/plain', body: 'Rye and water' }
await files.create({ requestBody: { name: 'Rye.txt' }, media }, options)
const { data } = await files.list({ q: "name = 'Rye.txt'", fields: 'files(id, name)' }, options)
for (const { id, name } of data.files) {
  const content = await files.get({ fileId: id, alt: 'media' }, options)
  console.log(`${name}: ${await new Response(content.data).text()}`)
}
