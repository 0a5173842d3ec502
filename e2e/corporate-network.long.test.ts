import { execFileSync } from 'node:child_process'
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { createServer } from 'node:https'
import path from 'node:path'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { linearEmulator, localClient } from '@mcp-toolkits/linear-emulator'
import { fetchPage } from '@mcp-toolkits/testing'
import { freePort, startDaemon, unprivilegedAccount } from '@mcp-toolkits/testing/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { userOf } from './accounts.ts'
import { runNode, temporaryDirectory } from './command.ts'
import { openContentSource } from '../packages/testing/src/processes/content-source.ts'
import { listenOnLoopback } from '../packages/testing/src/processes/loopback.ts'
import { shareOf } from '../packages/testing/src/runs.ts'

const squid = '/usr/sbin/squid'
const programOf = (app: string) => path.join(import.meta.dirname, '..', 'apps', app, 'dist', 'main.js')
const program = programOf('issue-tracker')
const storageProgram = programOf('file-storage')
const driveToken = 'drive-token'
/** Only the proxy can resolve this name. */
const host = 'linear.vendor.example'
const password = 'canary-proxy-password'

describe.runIf(existsSync(squid))('in a network that only a proxy leaves', () => {
  const stack = new AsyncDisposableStack()
  let network: Awaited<ReturnType<typeof startNetwork>>
  beforeAll(async () => {
    network = await startNetwork(stack)
  })
  afterAll(() => stack.disposeAsync())

  /** The tunnels requested from now on; squid logs each one when it ends. */
  const watchTunnels = async () => {
    const before = (await network.tunnels()).length
    return async () => (await network.tunnels()).slice(before)
  }
  const call = async (environment: Readonly<Record<string, string>>) => {
    const tunnels = await watchTunnels()
    const account = { ISSUE_TRACKER_API_URL: network.api, ISSUE_TRACKER_API_KEY: 'lin_api_emulator' }
    const data = { MCP_TOOLKITS_DATA_DIR: await temporaryDirectory() }
    const { code, output, errors } = await runNode([program, 'call', 'WhoAmI', '{}'], {
      environment: { ...account, ...data, ...environment },
    })
    return { code, text: output + errors, tunnels }
  }

  test.for(shareOf(['HTTPS_PROXY', 'https_proxy'], 2, 0))(
    'a call goes through the proxy in %s, with the authority in NODE_EXTRA_CA_CERTS',
    async (name) => {
      const { code, text, tunnels } = await call({ [name]: network.proxy, NODE_EXTRA_CA_CERTS: network.authority })
      expect(code).toBe(0)
      expect(text).toContain('robin.vance@lodestar.example')
      await expect.poll(tunnels).toEqual([`200 CONNECT ${network.target}`])
    },
  )

  test('a call trusts the authorities of the system with NODE_USE_SYSTEM_CA', async () => {
    const { code, tunnels } = await call({ HTTPS_PROXY: network.proxy, NODE_USE_SYSTEM_CA: '1', SSL_CERT_FILE: network.authority })
    expect(code).toBe(0)
    await expect.poll(tunnels).toEqual([`200 CONNECT ${network.target}`])
  })

  test.each(['through the proxy', 'directly'])('uploads go %s', async (way) => {
    const isDirect = way === 'directly'
    await using source = await openContentSource()
    const tunnels = await watchTunnels()
    const environment = {
      FILE_STORAGE_ACCESS_TOKEN: driveToken,
      FILE_STORAGE_API_URL: `https://${isDirect ? network.filesTarget.replace(host, 'localhost') : network.filesTarget}`,
      FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host,
      MCP_TOOLKITS_DATA_DIR: await temporaryDirectory(),
      NODE_EXTRA_CA_CERTS: network.authority,
      ...(!isDirect && { HTTPS_PROXY: network.proxy }),
    }
    for (const url of [source.small, source.large]) {
      const args = JSON.stringify({ file_name: path.basename(url), source_url: url })
      const { code, errors } = await runNode([storageProgram, 'call', 'UploadFile', args], { environment })
      expect(code, errors).toBe(0)
    }
    const expected = isDirect ? [] : [`200 CONNECT ${network.filesTarget}`]
    await expect.poll(async () => [...new Set(await tunnels())]).toEqual(expected)
  })

  test('a sign-in goes through the proxy', async () => {
    const tunnels = await watchTunnels()
    const environment = {
      ISSUE_TRACKER_CLIENT_ID: localClient.id,
      ISSUE_TRACKER_AUTH_URL: new URL(network.api).origin,
      ISSUE_TRACKER_API_URL: network.api,
      HTTPS_PROXY: network.proxy,
      NODE_EXTRA_CA_CERTS: network.authority,
    }
    const { login } = await userOf({ app: 'issue-tracker', url: '', revocation: '', environment, expire: () => undefined })
    const { address, finished } = await login()
    await consent(new URL(address), network.loopbackUrl)
    const { code, output, errors } = await finished()
    expect(code).toBe(0)
    expect(output + errors).toContain('robin.vance@lodestar.example')
    await expect.poll(async () => new Set(await tunnels())).toEqual(new Set([`200 CONNECT ${network.target}`]))
  })

  test('an authority that is not trusted is an error that says what to set', async () => {
    const { code, text } = await call({ HTTPS_PROXY: network.proxy })
    expect(code).toBe(1)
    expect(text).toContain("set NODE_EXTRA_CA_CERTS to its certificate authority's file, or NODE_USE_SYSTEM_CA to 1.")
  })

  test('a host in NO_PROXY is reached directly', async () => {
    const direct = { NO_PROXY: `intranet.example, ${host}`, NODE_EXTRA_CA_CERTS: network.authority }
    const { code, text, tunnels } = await call({ HTTPS_PROXY: network.proxy, ...direct })
    expect(code).toBe(1)
    expect(text).toMatch(/Linear could not be reached \((ENOTFOUND|EAI_AGAIN)\)/)
    expect(await tunnels()).toEqual([])
  })

  test('this machine is reached directly', async () => {
    const proxies = { HTTPS_PROXY: network.proxy, HTTP_PROXY: network.proxy }
    const { code, tunnels } = await call({ ...proxies, ISSUE_TRACKER_API_URL: `${network.loopbackUrl}/graphql` })
    expect({ code, tunnels: await tunnels() }).toEqual({ code: 0, tunnels: [] })
  })

  test('a proxy that refuses is an error that says so, and is asked once', async () => {
    const stranger = new URL(network.proxy)
    stranger.password = `not-${password}`
    const { code, text, tunnels } = await call({ HTTPS_PROXY: stranger.href, NODE_EXTRA_CA_CERTS: network.authority })
    expect(code).toBe(1)
    expect(text).toContain("This network's proxy opened no connection to Linear (HTTP 407). Check HTTPS_PROXY")
    expect(text).not.toContain(password)
    await expect.poll(tunnels).toEqual([`407 CONNECT ${network.target}`])
  })

  test('what is not the URL of a proxy is refused without repeating it', async () => {
    const { code, text } = await call({ HTTPS_PROXY: `user:${password}@proxy.example:3128` })
    expect(code).toBe(2)
    expect(text).toContain('HTTPS_PROXY is not the URL of a proxy')
    expect(text).not.toContain(password)
  })
})

/** Consents as a browser would; the browser reaches the vendor without the proxy. */
async function consent({ pathname, search }: URL, vendorUrl: string): Promise<void> {
  const { body } = await fetchPage(new URL(pathname + search, vendorUrl))
  const ticket = /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? ''
  const form = { method: 'POST', body: new URLSearchParams({ ticket, decision: 'allow' }), headers: { origin: vendorUrl } }
  const { location } = await fetchPage(new URL(pathname, vendorUrl), form)
  await fetchPage(new URL(location))
}

/** A vendor behind TLS. Only a proxy resolves its name, and a private authority has signed its certificate. */
async function startNetwork(stack: AsyncDisposableStack) {
  const directory = await temporaryDirectory()
  const { authority, certificate, key } = await makeCertificates(directory)
  const tracker = linearEmulator({ seed: 'edge-cases' })
  stack.defer(tracker.close)
  const drive = driveEmulator({ accessToken: driveToken })
  stack.defer(drive.close)
  const plain = await tracker.listen()
  const startVendor = async (url: string) => stack.use(await listenOnLoopback(vendorInFrontOf(url, { cert: certificate, key })))
  const [listening, files] = [await startVendor(plain.url), await startVendor((await drive.listen()).url)]
  const targetOf = ({ url }: { readonly url: string }) => `${host}:${new URL(url).port}`
  const target = targetOf(listening)
  const proxy = await startSquid(directory)
  stack.defer(proxy.stop)
  return {
    target,
    filesTarget: targetOf(files),
    authority,
    api: `https://${target}/graphql`,
    loopbackUrl: plain.url,
    proxy: proxy.url,
    tunnels: proxy.tunnels,
  }
}

/** Headers for a single connection, which are not forwarded. */
const ownHeaders = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** A TLS server that forwards to another server, like a vendor's front end. */
function vendorInFrontOf(origin: string, certificate: { readonly cert: Buffer; readonly key: Buffer }) {
  return createServer(certificate, (incoming, outgoing) => {
    const forward = async () => {
      const { method = 'GET', url = '/' } = incoming
      const headers = Object.entries(incoming.headers).filter(([name]) => !ownHeaders.includes(name))
      const chunks: Uint8Array[] = []
      const stream: AsyncIterable<Uint8Array> = incoming
      for await (const chunk of stream) chunks.push(chunk)
      const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) }
      const response = await fetch(new URL(url, origin), {
        method,
        redirect: 'manual',
        headers: headers.map(([name, value]) => [name, String(value)]),
        ...body,
      })
      for (const name of ['content-type', 'range', 'location']) {
        const value = response.headers.get(name)
        if (value !== null) outgoing.setHeader(name, value.replace(origin, `https://${incoming.headers.host ?? ''}`))
      }
      outgoing.writeHead(response.status).end(await response.text())
    }
    forward().catch(() => outgoing.destroy())
  })
}

async function makeCertificates(directory: string) {
  const file = (name: string) => path.join(directory, name)
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  run('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=Lodestar', '-keyout', 'authority.key', '-out', 'authority.pem')
  run('req', ...newKey, '-subj', `/CN=${host}`, '-keyout', 'vendor.key', '-out', 'vendor.csr')
  await writeFile(file('names'), `subjectAltName=DNS:${host},DNS:localhost\n`)
  const signer = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-extfile', 'names']
  run('x509', '-req', '-in', 'vendor.csr', ...signer, '-days', '2', '-out', 'vendor.pem')
  return { authority: file('authority.pem'), certificate: await readFile(file('vendor.pem')), key: await readFile(file('vendor.key')) }
}

/** Starts squid, which requires a name and a password. */
async function startSquid(parent: string) {
  const directory = path.join(parent, 'squid')
  await mkdir(directory)
  const account = unprivilegedAccount()
  const port = await freePort()
  const files = { hosts: path.join(directory, 'hosts'), users: path.join(directory, 'users'), log: path.join(directory, 'access.log') }
  const hash = execFileSync('openssl', ['passwd', '-apr1', password], { encoding: 'utf8' }).trim()
  await writeFile(files.users, `robin:${hash}\n`)
  await writeFile(files.hosts, `127.0.0.1 ${host}\n`)
  const configuration = path.join(directory, 'squid.conf')
  await writeFile(
    configuration,
    `http_port 127.0.0.1:${port}
hosts_file ${files.hosts}
auth_param basic program /usr/lib/squid/basic_ncsa_auth ${files.users}
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
logformat tunnels %>Hs %rm %ru
access_log stdio:${files.log} tunnels
buffered_logs off
cache deny all
cache_log stdio:/dev/null
pid_filename none
coredump_dir ${directory}
`,
  )
  if (account) for (const file of [parent, directory, ...Object.values(files).slice(0, 2)]) await chown(file, account.uid, account.gid)
  const daemon = await startDaemon({
    command: squid,
    args: ['-N', '-d', '1', '-f', configuration],
    readyText: 'Accepting HTTP Socket connections',
    directory,
    account,
  })
  return {
    url: `http://robin:${password}@127.0.0.1:${port}`,
    stop: daemon.stop,
    /** The tunnels that were requested, with the status of each. */
    tunnels: async () => (existsSync(files.log) ? (await readFile(files.log, 'utf8')).trim().split('\n').filter(Boolean) : []),
  }
}
