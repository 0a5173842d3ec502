import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation'
import { Version } from '@cyclonedx/cyclonedx-library/Spec'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { licensed } from '../scripts/bundle/licences.ts'
import { thirdParties } from '../scripts/bundle/third-party.ts'
import { apps, list, member, pack, root, type Packed } from './packed.ts'

/** What every tarball holds. `*` stands for the hash that the bundler puts into a name. */
const everywhere = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/THIRD-PARTY-LICENSES.txt',
  'dist/absent-tool-*.js',
  'dist/accounts-*.js',
  'dist/call-*.js',
  'dist/chunk-*.js',
  'dist/config-*.js',
  'dist/connect-*.js',
  'dist/control-*.js',
  'dist/dist-*.js',
  'dist/elicitation-*.js',
  'dist/emulator-*.js',
  'dist/env-paths-*.js',
  'dist/help-*.js',
  'dist/http-*.js',
  'dist/in-process-*.js',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/lock-*.js',
  'dist/login-*.js',
  'dist/logout-*.js',
  'dist/main.js',
  'dist/protocol.js',
  'dist/refused-hosts-*.js',
  'dist/replacement-*.js',
  'dist/response-*.js',
  'dist/saving-*.js',
  'dist/sbom.cdx.json',
  'dist/schemas.js',
  'dist/scopes-*.js',
  'dist/serve-*.js',
  'dist/src-*.js',
  'dist/start.js',
  'dist/status-*.js',
  'dist/tools-*.js',
]

const alone = {
  'event-pipeline': ['dist/command-*.js'],
  'file-storage': ['dist/consent-*.js', 'dist/multipart-parser-*.js', 'dist/person-*.js', 'dist/sign-in-*.js'],
  'issue-tracker': ['dist/graphql-*.js'],
} as const

describe.for(apps)('%s', (app) => {
  let packed: Packed
  beforeAll(() => {
    packed = pack(app)
  })
  afterAll(() => {
    rmSync(packed.directory, { recursive: true })
  })

  const read = (file: string) => readFileSync(path.join(packed.installed, file), 'utf8')
  const bill = (): unknown => JSON.parse(read('dist/sbom.cdx.json'))

  test('holds these files and no others', () => {
    const named = new Set(packed.files.map((file) => file.replace(/-[a-z0-9]{8}\.js$/, '-*.js')))
    expect([...named].sort()).toEqual([...everywhere, ...alone[app]].sort())
  })

  test('holds no module that nothing loads', () => {
    const modules = packed.files.filter((file) => file.endsWith('.js'))
    const reached = new Set(modules.filter((file) => /^dist\/(main|index)\.js$/.test(file)))
    for (const file of reached) for (const [, name = ''] of read(file).matchAll(/["']\.\/([\w-]+\.js)["']/g)) reached.add(`dist/${name}`)
    expect([...reached].sort()).toEqual(modules)
  })

  test('is at most 1.5 MB packed and 6 MB unpacked', () => {
    const unpacked = packed.files.reduce((sum, file) => sum + statSync(path.join(packed.installed, file)).size, 0)
    expect(packed.bytes).toBeLessThanOrEqual(1.5e6)
    expect(unpacked).toBeLessThanOrEqual(6e6)
  })

  test('is under the licence of the project', () => {
    expect(read('LICENSE')).toBe(readFileSync(path.join(root, 'LICENSE'), 'utf8'))
  })

  test('its bill of materials is CycloneDX 1.6 by the letter, and the same for every build', async () => {
    const text = read('dist/sbom.cdx.json')
    expect(await new JsonStrictValidator(Version.v1dot6).validate(text)).toBeNull()
    expect(bill()).not.toHaveProperty('serialNumber')
    expect(bill()).not.toHaveProperty('metadata.timestamp')
    expect(bill()).toMatchObject({ metadata: { component: { purl: `pkg:npm/%40mcp-toolkits/${app}@${version(read('package.json'))}` } } })
  })

  test('licences and bill name the same packages, each with its text, licence, address and hash', () => {
    const components = list(member(bill(), 'components'))
    const titles = [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/^={80}\n(\S+) (\S+) \(([\w.-]+)\).*\n={80}\n\n(?=\S)/gm)]
    const named = components.map((each) => {
      const full = ['group', 'name'].flatMap((part) => (member(each, part) === undefined ? [] : [String(member(each, part))]))
      return `${full.join('/')} ${String(member(each, 'version'))}`
    })
    expect(titles.map(([, name = '', number = '']) => `${name} ${number}`).sort()).toEqual(named.sort())
    for (const each of components) {
      expect(each).toMatchObject({ licenses: [{ license: {} }], hashes: [{ alg: 'SHA-512' }] })
      expect(member(each, 'purl')).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/)
    }
  })

  test('what is bundled is named, what a bundled file was itself bundled from too, and nothing that only builds or tests', () => {
    const names = list(member(bill(), 'components')).map((each) => String(member(each, 'purl')).replace(/@[^@]*$/, ''))
    for (const name of ['%40modelcontextprotocol/server', 'hono', 'zod', 'leven', 'content-type']) expect(names).toContain(`pkg:npm/${name}`)
    // Decision 0050: the SDK's validator is left out.
    expect(names).not.toContain('pkg:npm/ajv')
    expect(names.includes('pkg:npm/graphql')).toBe(app === 'issue-tracker')
    expect(names.includes('pkg:npm/gaxios')).toBe(app === 'file-storage')
    expect(names.filter((name) => /vitest|fast-check|tsup|esbuild|mcp-toolkits/.test(name))).toEqual([])
  })
})

describe('a build fails', () => {
  let directory = ''
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'party-'))
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  const party = (manifest: object) => {
    writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ name: 'party', version: '1.2.3', ...manifest }))
    return [{ name: 'party', version: '1.2.3', directory, within: [] }]
  }

  test.for(['GPL-3.0-only', 'SEE LICENSE IN LICENSE', undefined])('on a package under %s', (license) => {
    writeFileSync(path.join(directory, 'LICENSE'), 'A licence.')
    expect(() => licensed(party({ license }))).toThrow(/party 1\.2\.3 is under/)
    expect(licensed(party({ license: 'ISC' }))).toMatchObject([{ licence: 'ISC', text: 'A licence.' }])
  })

  test('on a package without the text of its licence', () => {
    rmSync(path.join(directory, 'LICENSE'), { force: true })
    expect(() => licensed(party({ license: 'MIT' }))).toThrow('party 1.2.3 comes without the text of its licence (MIT).')
  })

  test('on a file that was bundled from a package of which the version is not told, or not installed', () => {
    const file = path.join(directory, 'node_modules', 'carrier', 'index.js')
    const metafile = { outputs: { 'main.js': { inputs: { [file]: { bytesInOutput: 1 } } } } }
    const carrying = (region: string) => () => {
      write(file, `//#region ${region}\n`)
      return thirdParties(metafile, directory)
    }
    write(path.join(directory, 'node_modules', 'carrier', 'package.json'), JSON.stringify({ name: 'carrier', version: '1.0.0' }))
    expect(carrying('src/index.ts')()).toMatchObject([{ name: 'carrier' }])
    expect(carrying('../node_modules/.pnpm/content-type@1.0.5/node_modules/content-type/index.js')()).toMatchObject([
      { name: 'carrier' },
      { name: 'content-type', within: ['carrier'] },
    ])
    expect(carrying('node_modules/ajv/dist/core.js')).toThrow('version is not known')
    expect(carrying('.pnpm/../node_modules/.pnpm/ajv@1.0.0/node_modules/ajv/core.js')).toThrow('carrier carries ajv 1.0.0')
  })
})

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function version(manifest: string): string {
  const parsed: unknown = JSON.parse(manifest)
  return String(member(parsed, 'version'))
}
