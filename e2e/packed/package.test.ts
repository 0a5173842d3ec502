import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { Version } from '@cyclonedx/cyclonedx-library/Spec'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import * as z from 'zod'
import { traceStart, traceFiles } from '../../packages/testing/src/processes/loaded-files.ts'
import { bundledPackages, withLicences } from '../../releases/third-party.ts'
import { readJson, releases } from '../../releases/releases.ts'
import { temporaryDirectory } from '../command.ts'
import { filesIn, installedIn } from './pack-once.ts'

/**
 * Maximum cost for a client; `npm run bench` shows the current figures. `http --store` alone loads `database`, `http --issuer` alone
 * `people`, a collector alone `telemetry`, `http --authorization-server` alone `authorization`, and the first request of an embedded Linear
 * alone `schema`, the first text of a file `documents`. `bundle` is everything else: a tenth of it is the emulator with its pages and
 * seeds, another the toolsets, which only --toolsets loads, and a sixtieth the apps.
 */
const ceilings = {
  tarball: 1_500_000,
  unpacked: 6_000_000,
  bundle: 1_650_000,
  database: 250_000,
  people: 240_000,
  telemetry: 160_000,
  authorization: 450_000,
  schema: 54_000,
  documents: 1_800_000,
  startFiles: 4,
  start: 432_000,
}

/** The files that are loaded to read a document, and not at startup: the file that the thread starts with, and all its imports. */
function documentFiles(files: readonly string[], loaded: readonly string[]): string[] {
  const found = new Set(files.filter((file) => /^worker-\w+\.js$/.test(path.basename(file))))
  for (const file of found)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?['"]\.\/([\w.-]+\.js)['"]/g)) {
      const imported = path.join(path.dirname(file), name)
      if (!loaded.includes(imported)) found.add(imported)
    }
  return [...found]
}

/** Text that only the file with Linear's schema contains, which is compressed. */
const schemaText = /[\w+/=]{45000}/

const Bill = z.object({
  metadata: z.object({ component: z.object({ purl: z.string() }) }),
  components: z.array(z.object({ purl: z.string(), licenses: z.array(z.unknown()).length(1), hashes: z.array(z.unknown()).length(1) })),
})
/** The files that `http` loads only for a database. */
async function databaseFiles(main: string): Promise<string[]> {
  const keys = { MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32).toString('base64')}` }
  const check = async (...args: readonly string[]) =>
    traceFiles(async (env) =>
      promisify(execFile)(process.execPath, [main, 'http', '--check', ...args], { env: { ...env, ...keys } }).catch(() => undefined),
    )
  const [alone, shared] = [await check('--embedded'), await check('--store', 'postgres://127.0.0.1:1/none')]
  return shared.filter((file) => !alone.includes(file))
}

/** Starts `http` on a port that is in use, so that it ends when everything is loaded. Resolves with the loaded files. */
async function loadedByHttp(
  main: string,
  starts: readonly { readonly args: readonly string[]; readonly variables?: Readonly<Record<string, string>> }[],
): Promise<string[][]> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const loaded: string[][] = []
  for (const { args, variables } of starts) {
    const start = async (env: Readonly<Record<string, string>>) =>
      promisify(execFile)(process.execPath, [main, 'http', '--port', String(port), ...args], { env: { ...env, ...variables } }).catch(
        (error: unknown) => {
          expect(String(error)).toContain('EADDRINUSE')
        },
      )
    loaded.push(await traceFiles(start))
  }
  taken.close()
  return loaded
}

/** The files that `http` loads only to serve each person as themselves, and those that it loads only to issue their tokens. */
async function peopleFiles(main: string, name: string) {
  const client = { [`${name.toUpperCase().replace('-', '_')}_CLIENT_ID`]: 'client', MCP_TOOLKITS_SIGN_IN_CLIENT_ID: 'client' }
  const variables = { ...client, MCP_TOOLKITS_KEYS: 'person', MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32).toString('base64')}` }
  const people = ['--issuer', 'http://127.0.0.1:1', '--public-url', 'http://127.0.0.1:1']
  const [alone = [], loaded = [], issuing = []] = await loadedByHttp(main, [
    { args: ['--embedded'] },
    { args: people, variables },
    { args: [...people, '--authorization-server'], variables },
  ])
  return {
    people: loaded.filter((file) => !alone.includes(file)),
    authorization: issuing.filter((file) => !alone.includes(file) && !loaded.includes(file)),
  }
}

/** The files that `http` loads only to send telemetry. */
async function telemetryFiles(main: string): Promise<string[]> {
  const [alone = [], loaded = []] = await loadedByHttp(main, [
    { args: ['--embedded'] },
    { args: ['--embedded'], variables: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } },
  ])
  return loaded.filter((file) => !alone.includes(file))
}

const sizeOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0)

describe.for(releases)(
  '$name',
  ({ name, command, packageName, version, tools, read: sample, write, maxListBytes, tarball, withDefinition }) => {
    const at = (...parts: string[]) => installedIn(inject('installation'), name, ...parts)
    const read = (file: string) => readFileSync(at(file), 'utf8')
    const program = () => at('dist', 'main.js')
    const run = (...args: string[]) =>
      execFileSync(process.execPath, [program(), ...args], { cwd: inject('installation'), encoding: 'utf8', stdio: 'pipe' })

    test('contains its bundle, licences and bill of materials, and needs no other package', () => {
      const files = filesIn(at())
      expect(files.filter((file) => !file.endsWith('.js')).sort()).toEqual(
        ['LICENSE', 'README.md', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/index.d.ts', 'dist/sbom.cdx.json', 'package.json'].sort(),
      )
      const manifest = readJson(at('package.json'))
      expect(manifest).toMatchObject({ bin: { [command]: './dist/main.js' }, engines: { node: '>=22.19' } })
      expect(manifest).not.toHaveProperty('dependencies')
      expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
    })

    test('reads the variables of its account that the README and the registries show', async () => {
      const shown = await withDefinition((_definition, { variables }) => Promise.resolve(variables.map((variable) => variable.name)))
      const bundle = filesIn(at()).filter((file) => file.endsWith('.js'))
      const pattern = new RegExp(`\\b${name.toUpperCase().replaceAll('-', '_')}_[A-Z_]+\\b`, 'g')
      const used = bundle.flatMap((file) => [...read(file).matchAll(pattern)].map(([variable]) => variable))
      expect([...new Set(used)].sort()).toEqual(shown.toSorted())
    })

    test('works without the workspace', () => {
      expect(run('tools').trim().split('\n').length).toBe(tools.length)
      const data = path.join(inject('installation'), 'data', name)
      const call = write ?? sample
      const output = run('call', call.tool, JSON.stringify(call.arguments), '--data-dir', data)
      if (write) expect(output).toContain('"upstream": "embedded')
      expect(run('config', 'cursor')).toContain(`"${packageName}"`)
    })

    test('stays below its ceilings', async () => {
      const files = filesIn(at()).map((file) => at(file))
      const loaded = await traceStart(program())
      const database = await databaseFiles(program())
      expect(database.map((file) => readFileSync(file, 'utf8')).join('\n')).toContain('pg_advisory')
      const { people: all, authorization } = await peopleFiles(program(), name)
      const people = all.filter((file) => !database.includes(file))
      expect(authorization.map((file) => readFileSync(file, 'utf8')).join('\n')).toContain('oauth-id-jag')
      expect(people.map((file) => readFileSync(file, 'utf8')).join('\n')).toContain('ERR_JWKS_NO_MATCHING_KEY')
      const telemetry = await telemetryFiles(program())
      expect(telemetry.map((file) => readFileSync(file, 'utf8')).join('\n')).toContain('OTEL_RESOURCE_ATTRIBUTES')
      const schema = files.filter((file) => file.endsWith('.js') && schemaText.test(readFileSync(file, 'utf8')))
      expect(loaded.filter((file) => schema.includes(file))).toEqual([])
      const documents = documentFiles(files, loaded)
      const isApart = (file: string) =>
        [database, people, telemetry, authorization, schema, documents].some((files) => files.includes(file))
      const figures = {
        tarball: sizeOf([tarball]),
        unpacked: sizeOf(files),
        bundle: sizeOf(files.filter((file) => file.endsWith('.js') && !isApart(file))),
        database: sizeOf(database),
        people: sizeOf(people),
        telemetry: sizeOf(telemetry),
        authorization: sizeOf(authorization),
        schema: sizeOf(schema),
        documents: sizeOf(documents),
        startFiles: loaded.length,
        start: sizeOf(loaded),
      }
      for (const [figure, ceiling] of Object.entries(ceilings))
        expect(new Map(Object.entries(figures)).get(figure), figure).toBeLessThanOrEqual(ceiling)
      expect(Buffer.byteLength(run('tools', '--json').trim()), 'list').toBeLessThanOrEqual(maxListBytes)
    })

    test.for([
      [
        'a start',
        traceStart,
        [
          'node:sqlite',
          'node:http',
          'X-Retry-Count',
          'createHash',
          'pg_advisory',
          'ERR_JWKS_NO_MATCHING_KEY',
          'OTEL_RESOURCE_ATTRIBUTES',
          'oauth-id-jag',
          'PasswordException',
        ],
      ],
      [
        'the command "tools"',
        (main: string) => traceFiles((env) => promisify(execFile)(process.execPath, [main, 'tools'], { env })),
        ['node:sqlite', 'node:http', 'X-Retry-Count', 'ZodObject', 'pg_advisory', 'ERR_JWKS_NO_MATCHING_KEY'],
      ],
    ] as const)('%s loads only what it needs', async ([, trace, markers]) => {
      const text = (await trace(program())).map((file) => readFileSync(file, 'utf8')).join('\n')
      expect(markers.filter((marker) => text.includes(marker))).toEqual([])
    })

    test('has a valid bill of materials that names the same packages as its licences', async () => {
      const text = read('dist/sbom.cdx.json')
      expect(await new JsonStrictValidator(Version.v1dot6).validate(text)).toBeNull()
      const { metadata, components } = Bill.parse(JSON.parse(text))
      expect(metadata.component.purl).toBe(`pkg:npm/${packageName.replace('@', '%40')}@${version}`)
      const titles = read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/^={80}\n(\S+) (\S+) \(([\w.-]+)\).*\n={80}\n\n(?=\S)/gm)
      const listed = [...titles].map(([, title = '', number = '']) => `pkg:npm/${title.replace('@', '%40')}@${number}`)
      const purls = components.map(({ purl }) => purl)
      expect(listed.sort()).toEqual([...purls].sort())
      for (const bundled of ['%40modelcontextprotocol/server', 'hono', 'zod', 'content-type'])
        expect(purls.join()).toContain(`pkg:npm/${bundled}@`)
      expect(purls.filter((purl) => /\/(?:vitest|fast-check|tsup|esbuild|ajv)@|mcp-toolkits/.test(purl))).toEqual([])
    })
  },
)

describe('a build fails', () => {
  let directory: string
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    writeFileSync(path.join(directory, name), text)
  }
  beforeEach(async () => {
    directory = await temporaryDirectory()
  })

  test.for(['GPL-3.0-only', 'SEE LICENSE IN LICENSE', undefined])('on a package under %s', (license) => {
    const partyUnder = (chosen: string | undefined) => () => {
      write('package.json', JSON.stringify({ name: 'party', license: chosen }))
      write('LICENSE', 'A licence.')
      return withLicences([{ name: 'party', version: '1.2.3', directory, within: [] }])
    }
    expect(partyUnder(license)).toThrow(/party 1\.2\.3 is under/)
    expect(partyUnder('ISC')()).toMatchObject([{ licence: 'ISC', text: 'A licence.' }])
  })

  test('on a file whose origin is unknown or not installed', () => {
    const file = 'node_modules/carrier/index.js'
    const bundledFrom = (region: string) => () => {
      write('node_modules/carrier/package.json', JSON.stringify({ name: 'carrier', version: '1.0.0' }))
      write(file, `//#region ${region}\n`)
      return bundledPackages({ outputs: { 'main.js': { inputs: { [file]: { bytesInOutput: 1 } } } } }, directory)
    }
    expect(bundledFrom('src/index.ts')()).toMatchObject([{ name: 'carrier' }])
    expect(bundledFrom('node_modules/ajv/dist/core.js')).toThrow('version is unknown')
    expect(bundledFrom('.pnpm/../node_modules/.pnpm/ajv@1.0.0/node_modules/ajv/core.js')).toThrow('carrier contains ajv 1.0.0')
  })
})
