import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort, startDaemon, unprivilegedAccount } from '@mcp-toolkits/testing/postgres'
import { makeCertificate } from './certificates.ts'
import { type ComposeService, deployFolder } from './compose-file.ts'

export interface NativeBalancer extends AsyncDisposable {
  readonly port: number
  /** The authority that signed the balancer's certificate. */
  readonly authority: Buffer
}

/** Runs nginx with the template that a service mounts. `portsOf` returns the ports of a service's replicas. */
export async function startNginx(
  { command, environment, volumes }: ComposeService,
  portsOf: (service: string, port: number) => readonly number[],
): Promise<NativeBalancer> {
  const [template = ''] = volumes.filter((volume) => volume.includes('.template:'))
  const { DOMAIN: domain = '' } = environment
  const directory = mkdtempSync(path.join(tmpdir(), 'deploy-nginx-'))
  const authority = await makeCertificate(directory, domain)
  const port = await freePort()
  const text = (await readFile(path.join(deployFolder, template.split(':')[0] ?? ''), 'utf8')).replaceAll('${DOMAIN}', domain)
  const lines = text
    .replaceAll('/etc/nginx/certificates', directory)
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .split('\n')
    .flatMap((line) => nativeLine(line, portsOf))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`)
  const file = path.join(directory, 'nginx.conf')
  const main = `pid ${directory}/nginx.pid;\nerror_log stderr notice;\nevents {}\n`
  await writeFile(file, `${main}http {\naccess_log off;\n${[...temporary, ...lines].join('\n')}\n}\n`)
  const account = unprivilegedAccount()
  if (account) for (const each of ['', 'nginx.conf', 'key.pem']) chownSync(path.join(directory, each), account.uid, account.gid)
  const [program = '', ...args] = command
  const daemon = await startDaemon({
    command: path.join('/usr/sbin', program),
    args: [...args, '-c', file],
    readyText: 'start worker process',
    directory,
    account,
  })
  return {
    port,
    authority,
    async [Symbol.asyncDispose]() {
      await daemon.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Replaces the name of a service with the ports of its replicas: Debian's nginx cannot resolve names again, and Docker's names are unknown
 * here.
 */
function nativeLine(line: string, portsOf: (service: string, port: number) => readonly number[]): string[] {
  if (/^\s*(?:resolver|zone) /.test(line)) return []
  const [, service, port] = /^\s*server ([a-z-]+):(\d+) resolve;$/.exec(line) ?? []
  if (service === undefined) return [line]
  return portsOf(service, Number(port)).map((each) => `server 127.0.0.1:${each};`)
}
