// Lets rclone use the emulator of Google Drive. rclone has no option for the address of Drive, but it uses a proxy and trusts a
// certificate that it is given: this proxy answers for www.googleapis.com with a certificate that openssl makes for it.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import path from 'node:path'

const target = new URL(process.env.DRIVE_URL ?? 'http://127.0.0.1:4011')
const [directory = '.', port = '4021'] = process.argv.slice(2)
const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => path.join(directory, name))
const names = 'subjectAltName=DNS:www.googleapis.com,DNS:oauth2.googleapis.com'
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
execFileSync(
  'openssl',
  ['req', '-x509', ...curve, '-days', '30', '-subj', '/CN=drive-emulator', '-addext', names, '-keyout', key, '-out', certificate],
  { stdio: 'pipe' },
)

const vendor = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, outgoing) => {
  const { method, url, headers } = incoming
  const options = { host: target.hostname, port: target.port, method, path: url, headers: { ...headers, host: target.host } }
  const sent = request(options, (answer) => {
    // The address of an upload that continues later leads to the emulator, which rclone does not reach.
    const location = answer.headers.location?.replace(target.origin, 'https://www.googleapis.com')
    outgoing.writeHead(answer.statusCode, { ...answer.headers, ...(location && { location }) })
    answer.pipe(outgoing)
  })
  sent.on('error', () => outgoing.destroy())
  incoming.pipe(sent)
})
const proxy = createServer((_, outgoing) => outgoing.writeHead(501).end())
proxy.on('connect', (_, socket) => {
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  vendor.emit('connection', socket)
})
proxy.listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${proxy.address().port}`)
})
