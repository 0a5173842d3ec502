import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Makes a self-signed certificate for the names of a domain, in the files that nginx expects, and resolves with it. */
export async function makeCertificate(directory: string, domain: string): Promise<Buffer> {
  const [certificate, key] = [path.join(directory, 'fullchain.pem'), path.join(directory, 'key.pem')]
  const names = path.join(directory, 'names')
  await writeFile(names, `[req]\ndistinguished_name=name\n[name]\n[names]\nsubjectAltName=DNS:*.${domain}\n`)
  const request = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=Lodestar',
  ]
  execFileSync('openssl', [...request, '-config', names, '-extensions', 'names', '-keyout', key, '-out', certificate], { stdio: 'pipe' })
  return readFile(certificate)
}
