// Scaffolds a server or a tool from the folder `templates`:
//   npm run new:server -- time-tracker
//   npm run new:tool -- issue-tracker ListDocuments
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rank } from '../packages/core/src/references/matching/rank.ts'
import { servers, type Server } from '../servers.ts'

const root = path.dirname(import.meta.dirname)
const at = (...parts: string[]) => path.join(root, ...parts)
const toPascal = (kebab: string) => kebab.replace(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase())
const toCamel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
const toKebab = (pascal: string) => toCamel(pascal).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

const written = new Set<string>()

function write(file: string, text: string): void {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
  written.add(file)
}

/** Formats and lists what was written, and says what to do next. */
function finish(next: string): void {
  execFileSync(process.execPath, [at('node_modules/prettier/bin/prettier.cjs'), '--write', '--log-level', 'warn', ...written], {
    cwd: root,
  })
  console.log([...written].map((file) => `  ${file}`).join('\n'))
  console.log(`\nNext: ${next}`)
}

/** Replaces text in a file. Fails when there is nothing to replace. */
function edit(file: string, pattern: RegExp, replacement: string): void {
  const before = readFileSync(at(file), 'utf8')
  if (!pattern.test(before)) fail(`${file} has changed: ${String(pattern)} is not in it.`)
  write(file, before.replace(pattern, replacement))
}

function announce(packageName: string, sentence: string, name: string): void {
  write(`.changeset/${name}.md`, `---\n'${packageName}': minor\n---\n\n${sentence}\n`)
}

/** Puts the names of a new server into text of the template. */
function renamer(name: string) {
  const pascal = toPascal(name)
  return (text: string) =>
    text
      .replaceAll('sample-server', name)
      .replaceAll('SampleServer', pascal)
      .replaceAll('sampleServer', toCamel(pascal))
      .replaceAll('SAMPLE_SERVER', name.replaceAll('-', '_').toUpperCase())
      .replaceAll(
        'Sample Server',
        name.replaceAll('-', ' ').replace(/\b\w/g, (letter) => letter.toUpperCase()),
      )
}

function newServer(name: string): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) fail('Name the server in kebab-case: npm run new:server -- time-tracker')
  if (existsSync(at('apps', name))) fail(`apps/${name} exists.`)
  if (/^(server|servers|import|export|default|class|new|package)$/.test(name))
    fail(`${name} cannot be the name of a constant. Choose another.`)
  const rename = renamer(name)
  for (const file of globSync('**/*.*', { cwd: at('templates/server') }))
    write(rename(file), rename(readFileSync(at('templates/server', file), 'utf8')))
  const variable = toCamel(toPascal(name))
  edit('servers.ts', /(?=import type)/, `import { listedTools as ${variable}Tools } from './apps/${name}/src/generated/tools.ts'\n`)
  const entry = `export const ${variable} = server(
  {
    name: '${name}',
    prefix: '${toPascal(name)}',
    emulator: '${name}-emulator',
    port: ${Math.max(...servers.map(({ port }) => port)) + 1},
    read: { tool: 'WhoAmI', arguments: {}, description: 'shows the current user' },
    withDefinition: async (use) => {
      const { ${variable} } = await import('./apps/${name}/src/server.ts')
      return use(${variable}, (await import('./apps/${name}/src/distribution.ts')).distribution)
    },
  },
  ${variable}Tools,
)

`
  edit('servers.ts', /(?=export const servers)/, entry)
  edit('servers.ts', /(export const servers[^=]+= \[[^\]]*)\]/, `$1, ${variable}]`)
  announce(`@mcp-toolkits/${name}`, `The first release of ${name}.`, `${name}-first-release`)
  finish(`npx -y pnpm@12.21.0 install, npm run generate, npm run test:file -- apps/${name}. Then follow docs/adding-a-server.md.`)
}

/** Adds an import to a file, in the order of the modules. */
function addImport(file: string, names: string, source: string): void {
  const text = readFileSync(at(file), 'utf8')
  const imports = [...text.matchAll(/^import [^']*'([^']+)'\n/gm)]
  const later = imports.find(([, each = '']) => each > source)
  const last = imports.at(-1)
  const index = later?.index ?? (last ? last.index + last[0].length : 0)
  write(file, `${text.slice(0, index)}import { ${names} } from '${source}'\n${text.slice(index)}`)
}

const usage = 'npm run new:tool -- issue-tracker ListDocuments'

/** The server of a name that was typed. */
function serverOf(written: string): Server {
  const names = servers.map(({ name }) => name)
  const found = servers.find(({ name }) => name === written)
  if (found) return found
  const [likely] = rank(written, names, { minConfidence: 0.55 })
  const hint = likely ? `Did you mean ${likely.value}?` : `Servers: ${names.join(', ')}.`
  fail(written === '' ? `Name a server and a tool: ${usage}` : `There is no server "${written}". ${hint}`)
}

function newTool({ name, prefix, packageName, ...server }: Server, tool: string): void {
  if (!/^[A-Z][A-Za-z]+$/.test(tool)) {
    const pascal = toPascal(tool.replaceAll(/[^A-Za-z]+/g, '-'))
    const hint = /^[A-Z][A-Za-z]+$/.test(pascal) ? `Did you mean ${pascal}?` : `Write it like ListDocuments: ${usage}`
    fail(tool === '' ? `Name the tool, too: ${usage}` : `"${tool}" cannot be the name of a tool. ${hint}`)
  }
  const [app, file] = [`apps/${name}`, toKebab(tool)]
  if (server.tools.some((each) => each.name === tool)) fail(`${name} has a tool ${tool}.`)
  const rename = (text: string) =>
    text
      .replaceAll('SampleTool', tool)
      .replaceAll('sampleTool', toCamel(tool))
      .replaceAll('SampleServer', prefix)
      .replaceAll('sampleServer', toCamel(toPascal(name)))
  write(`${app}/src/tools/${file}.ts`, rename(readFileSync(at('templates/tool/tool.ts'), 'utf8')))
  write(`${app}/test/${file}.test.ts`, rename(readFileSync(at('templates/tool/tool.test.ts'), 'utf8')))
  addImport(`${app}/src/tools/index.ts`, toCamel(tool), `./${file}.ts`)
  edit(`${app}/src/tools/index.ts`, /,?\n?\](?![^]*\])/, `,\n  ${toCamel(tool)},\n]`)
  edit(`${app}/test/contract.test.ts`, /( {2}\},\n\}\))/, `    '${prefix}.${tool}': [true, false, true, true],\n$1`)
  announce(packageName, `The new tool ${tool}.`, `${name}-${file}`)
  finish(`write the tool, then npm run generate and npm run test:file -- ${app}/test/${file}.test.ts. See docs/adding-a-tool.md.`)
}

const [kind, name = '', tool = ''] = process.argv.slice(2)
if (kind === 'server') newServer(name)
else newTool(serverOf(name), tool)
