import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort, startDaemon, unprivilegedAccount } from '../postgres/daemon.ts'

/** A load balancer in front of several servers. */
export interface Balancer extends AsyncDisposable {
  /** Address for clients; ends in `/mcp`. */
  readonly url: string
}

/** Starts nginx with the configuration in docs/hosting.md, for servers on these ports. `listen` defaults to any free port. */
export async function startBalancer(ports: readonly number[], listen?: number): Promise<Balancer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'nginx-'))
  const account = unprivilegedAccount()
  if (account) await chown(directory, account.uid, account.gid)
  const port = listen ?? (await freePort())
  const file = path.join(directory, 'nginx.conf')
  await writeFile(file, configuration(await documentedBlock(), { directory, port, ports }))
  const daemon = await startDaemon({
    command: '/usr/sbin/nginx',
    args: ['-c', file],
    readyText: 'start worker process',
    directory,
    account,
  })
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: daemon.stop }
}

/** The nginx block in docs/hosting.md. */
async function documentedBlock(): Promise<string> {
  const page = await readFile(path.join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'hosting.md'), 'utf8')
  const block = /```nginx\n([\s\S]*?)```/.exec(page)?.[1]
  if (block === undefined) throw new Error('docs/hosting.md shows no nginx configuration.')
  return block
}

interface Places {
  readonly directory: string
  readonly port: number
  readonly ports: readonly number[]
}

function configuration(block: string, { directory, port, ports }: Places): string {
  const lines = block.split('\n').flatMap((line) => {
    const [word = ''] = line.trim().split(' ')
    if (word === 'server' && line.includes(':3000')) return []
    if (word === 'upstream') return [line, ...ports.map((each) => `    server 127.0.0.1:${each} max_fails=0;`)]
    if (word === 'listen') return [`    listen 127.0.0.1:${port};`]
    // Tests have no certificate.
    return word === 'server_name' || word.startsWith('ssl_') ? [] : [line]
  })
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`)
  return `daemon off;
pid ${directory}/nginx.pid;
error_log stderr notice;
events { worker_connections 1024; }
http {
  access_log off;
  ${paths.join('\n  ')}
${lines.join('\n')}}
`
}
