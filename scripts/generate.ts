// Writes the files that are generated from the servers' definitions: the response to tools/list, reference pages, parts of READMEs, and
// registries' manifests. Also inserts the tables that test suites write. With --check, it writes nothing and fails if a file differs.
import { existsSync } from 'node:fs'
import { readFile, writeFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { format } from 'oxfmt'
import * as z from 'zod'
import { driveRules } from '../packages/emulators/drive/src/rules/index.ts'
import { linearRules } from '../packages/emulators/linear/src/rules/index.ts'
import { pipelinesRules } from '../packages/emulators/pipelines/src/rules.ts'
import { driveSeedSchema } from '../packages/emulators/drive/src/seed/schema.ts'
import { linearSeedSchema } from '../packages/emulators/linear/src/seed/schema.ts'
import { pipelinesSeedSchema } from '../packages/emulators/pipelines/src/seed/schema.ts'
import { describeTool } from '../packages/server/test/describe.ts'
import { markdownTable, referencePage, toolList, toolsetList } from './reference/tool-reference.ts'
import type { ServerDefinition } from '../packages/server/src/index.ts'
import type { Distribution } from './distribution/types.ts'
import type { Tool } from '../packages/core/src/tool/index.ts'
import { servers } from '../servers.ts'
import { clientSections, emulatorInstallation, installSection } from './distribution/install.ts'
import { alertRules, alertList } from './deploy/alerts.ts'
import { grafanaDashboard } from './deploy/dashboard.ts'
import { kubernetesManifests } from './deploy/manifests.ts'
import { systemdUnits } from './deploy/units.ts'
import { metricsList } from './metrics-list.ts'
import { recording } from './recording.ts'
import { configurationSections, usageOf } from './configuration-page.ts'
import { skillList, skillsModule } from './skills.ts'
import { viewModule } from './views.ts'
import { serverDockerfile } from './distribution/dockerfile.ts'
import { bundleManifest } from './distribution/mcpb-manifest.ts'
import { type DistributedServer, privacyText } from './distribution/distributed-server.ts'
import { publishedFields, registryEntry } from './distribution/registry.ts'
import { driveSections } from './emulators/drive-page.ts'
import { linearSections } from './emulators/linear-page.ts'
import { pipelinesSections } from './emulators/pipelines-page.ts'
import { rulesPage } from './emulators/tables.ts'
import formatting from '../.oxfmtrc.json' with { type: 'json' }
import { readJson, root } from '../releases/releases.ts'

async function filesOf<Context>(definition: ServerDefinition<Context>, distribution: Distribution): Promise<[string, string][]> {
  const defined = await definition.load.tools()
  const tools = defined.map((tool) => describeTool(tool))
  const app = path.join('apps', definition.name)
  const readme = path.join(app, 'README.md')
  const manifest = readJson(path.join(root, app, 'package.json'))
  const server = { definition, distribution, tools }
  const toolsets = await Promise.all(
    Object.entries(definition.toolsets ?? {}).map(async ([name, toolset]) => ({ name, tools: (await toolset.tools()).tools })),
  )
  const forApps = (await definition.toolsForApps?.tools()) ?? []
  const all = [...defined, ...toolsets.flatMap((toolset) => toolset.tools)]
  const repeated = all.find(({ name }, index) => all.findIndex((tool) => tool.name === name) < index)
  if (repeated) throw new Error(`${definition.name} has two tools called ${repeated.name}: look in src/tools and src/toolsets.`)
  const toolsetNames = new Map(toolsets.flatMap((toolset) => toolset.tools.map((tool) => [tool.name, toolset.name] as const)))
  const sections = {
    tools: [
      toolList(definition, defined),
      ...toolsets.map(({ name, tools }) => toolsetList(definition, name, tools)),
      ...skillList(definition.name),
    ].join('\n'),
    install: installSection(server),
    privacy: privacyText(server),
  }
  const page = await withSections(readme, await readmeSections(readme, sections, server), newReadme)
  const { apps = [] } = (await definition.load.apps?.()) ?? {}
  return [
    [path.join(app, 'src', 'generated', 'tools.ts'), listedModule(tools)],
    ...toolsets.map(({ name, tools }): [string, string] => [
      path.join(app, 'src', 'generated', `${name}.ts`),
      listedModule(tools.map((tool) => describeTool(tool))),
    ]),
    ...apps.map((each) => viewModule(definition.name, each)),
    ...(forApps.length > 0 ? [appToolsModule(app, forApps)] : []),
    ...skillsModule(definition.name, toolsetNames, new Set(all.map((tool) => tool.name))),
    [
      path.join('docs', 'tools', `${definition.name}.md`),
      referencePage(definition, [...all, ...forApps.filter(({ name }) => !toolsetNames.has(name))], {
        ...distribution,
        toolsets: toolsetNames,
        forApps: new Set(forApps.map(({ name }) => name)),
      }),
    ],
    [readme, page],
    [path.join(app, 'package.json'), JSON.stringify({ ...manifest, ...publishedFields(server) })],
    [path.join(app, 'Dockerfile'), serverDockerfile(server)],
    [path.join(app, 'server.json'), JSON.stringify(registryEntry(server))],
    [path.join(app, 'mcpb', 'manifest.json'), JSON.stringify(bundleManifest(server, manifest['keywords']))],
  ]
}

/** The module that lists the tools that only apps call. */
function appToolsModule(app: string, tools: readonly Tool<never>[]): [string, string] {
  return [path.join(app, 'src', 'generated', 'tools-for-apps.ts'), listedModule(tools.map((tool) => describeTool(tool)))]
}

const newReadme = '<!-- server:begin -->\n<!-- server:end -->\n'

/** The sections of a server's README: a single one for the whole file, until somebody writes the text. */
async function readmeSections<Parts extends Readonly<Record<'tools' | 'install' | 'privacy', string>>>(
  file: string,
  parts: Parts,
  { definition, distribution }: Pick<DistributedServer, 'definition' | 'distribution'>,
) {
  if (!((await text(file)) || newReadme).includes('<!-- server:begin -->')) return parts
  const head = `\n# ${definition.title}\n\n${distribution.summary}`
  return { server: `${head}\n\n${parts.tools}\n\n## Install\n\n${parts.install}\n\n## Privacy\n\n${parts.privacy}\n` }
}

function listedModule(tools: readonly unknown[]): string {
  const entries = tools.map((tool) => `  ${JSON.stringify(tool)},\n`).join('')
  return `// Generated by scripts/generate.ts; do not edit.\nimport type { ListedTool } from '@mcp-toolkits/server'\n\nexport const listedTools: readonly ListedTool[] = [\n${entries}]\n`
}

const shortVendor = ({ vendor }: { readonly vendor: string }) => vendor.replace(/^the (\S+).*/, '$1')

/** The list of all pages, with those of each server. */
async function docsPage(): Promise<[string, string]> {
  const file = path.join('docs', 'README.md')
  const vendors = await Promise.all(
    servers.map(({ withDefinition }) => withDefinition((definition) => Promise.resolve(shortVendor(definition)))),
  )
  const links = (linkTo: (name: string) => string) => servers.map(({ name }, index) => `[${vendors[index]}](${linkTo(name)})`).join(', ')
  const lists = [`- The servers: ${links((name) => `../apps/${name}/README.md`)}`, `- Their tools: ${links((name) => `tools/${name}.md`)}`]
  return [file, await withSections(file, { servers: lists.join('\n') })]
}

/** The page on all clients, with one server as an example. */
async function clientsPage(): Promise<[string, string]> {
  const file = path.join('docs', 'clients.md')
  return [file, await withSections(file, { clients: clientSections({ name: 'issue-tracker', shortName: 'tracker' }) })]
}

async function configurationPage(): Promise<[string, string]> {
  const file = path.join('docs', 'configuration.md')
  const usages = await Promise.all(servers.map(({ withDefinition }) => withDefinition((...parts) => Promise.resolve(usageOf(...parts)))))
  return [file, await withSections(file, configurationSections(usages))]
}

/** A page with the tables that a suite has written next to its tests. */
async function suitePage(page: string, suite: string, tables: readonly string[]): Promise<[string, string]> {
  const file = path.join('docs', `${page}.md`)
  const sections = await Promise.all(
    tables.map(async (name) => [name, await text(path.join('e2e', suite, 'tables', `${name}.md`))] as const),
  )
  return [file, await withSections(file, Object.fromEntries(sections))]
}

async function telemetryPage(): Promise<[string, string]> {
  const file = path.join('docs', 'telemetry.md')
  return [file, await withSections(file, { metrics: metricsList() })]
}

async function operationsPage(): Promise<[string, string]> {
  const file = path.join('docs', 'operations.md')
  return [file, await withSections(file, { alerts: alertList() })]
}

/** The emulators' pages, with their coverage. */
async function emulatorPages(): Promise<[string, string][]> {
  const pages = { linear: linearSections(), drive: await driveSections(), pipelines: pipelinesSections() }
  return Promise.all(
    Object.entries(pages).map(async ([name, sections]): Promise<[string, string]> => {
      const file = path.join('docs', 'emulators', `${name}.md`)
      return [file, await withSections(file, sections)]
    }),
  )
}

/** The pages on the vendors' behaviour as the emulators assume it. */
function rulesPages(): [string, string][] {
  const pages = {
    linear: ['Linear', linearRules],
    drive: ['Google Drive', driveRules],
    pipelines: ['Customer.io', pipelinesRules],
  } as const
  return Object.entries(pages).map(([name, [vendor, rules]]) => [
    path.join('packages', 'emulators', name, 'RULES.md'),
    rulesPage(vendor, rules),
  ])
}

/** Files that deployments are made from. */
function deploymentFiles(): [string, string][] {
  const manifests = Object.entries(kubernetesManifests()).map(([name, content]): [string, string] => [
    path.join('deploy', 'kubernetes', name),
    content,
  ])
  const units = Object.entries(systemdUnits()).map(([name, content]): [string, string] => [path.join('deploy', 'systemd', name), content])
  const alerts: [string, string] = [path.join('deploy', 'prometheus', 'alerts.yaml'), alertRules()]
  return [...manifests, ...units, alerts]
}

function dashboardFile(): [string, string] {
  return [path.join('deploy', 'grafana', 'dashboard.json'), JSON.stringify(grafanaDashboard())]
}

/** Formats a file as `npm run format` would; programs are formatted by their generators. */
async function tidy(file: string, content: string): Promise<string> {
  if (!/\.(?:json|md|yaml)$/.test(file)) return content
  const { code, errors } = await format(file, content, formatting)
  if (errors.length > 0) throw new Error(`${file} cannot be formatted: ${errors.map(({ message }) => message).join('; ')}`)
  return code
}

/** A file's text, or else `newFile`, with new content between the two comments that name each section. */
async function withSections(file: string, sections: Readonly<Record<string, string>>, newFile = ''): Promise<string> {
  return Object.entries(sections).reduce(
    (page, [section, content]) => {
      const marked = new RegExp(`(<!-- ${section}:begin -->\n)[^]*?(<!-- ${section}:end -->)`)
      if (!marked.test(page)) throw new Error(`${file} lacks its markers for "${section}".`)
      return page.replace(marked, (_all, begin: string, end: string) => `${begin}${content}\n${end}`)
    },
    (await text(file)) || newFile,
  )
}

async function text(file: string): Promise<string> {
  return readFile(path.join(root, file), 'utf8').catch(() => '')
}

/** The JSON Schemas of the seed files, for editors. */
function seedSchemas(): [string, string][] {
  const schemas = { linear: linearSeedSchema, drive: driveSeedSchema, pipelines: pipelinesSeedSchema }
  return Object.entries(schemas).map(([name, schema]) => [
    path.join('packages', 'emulators', name, 'seed.schema.json'),
    JSON.stringify(z.toJSONSchema(schema)),
  ])
}

/** The README files of the emulators' packages, if published. */
async function emulatorReadmes(): Promise<[string, string][]> {
  const files = servers
    .map(({ emulatorFolder }) => path.join(emulatorFolder, 'README.md'))
    .filter((file) => existsSync(path.join(root, file)))
  const pages = files.map(async (file): Promise<[string, string]> => [file, await withSections(file, { install: emulatorInstallation() })])
  return Promise.all(pages)
}

/** The number of tools that a server lists by default, and the number that its toolsets add. */
async function toolCounts<Context>({ load, toolsets = {} }: ServerDefinition<Context>): Promise<[number, number]> {
  const groups = await Promise.all(Object.values(toolsets).map(async (toolset) => (await toolset.tools()).tools.length))
  return [(await load.tools()).length, groups.reduce((sum, count) => sum + count, 0)]
}

/** The comparison, with the numbers of our tools and of each vendor's. */
async function comparisonPage(): Promise<[string, string]> {
  const file = path.join('docs', 'comparison.md')
  let page = await text(file)
  for (const { withDefinition } of servers) {
    const [vendor, counts] = await withDefinition(async (definition) => [definition.vendor, await toolCounts(definition)] as const)
    const [first] = vendor.replace('the ', '').split(' ')
    page = page.replace(new RegExp(`ours, [\\d+ ]+?(?= +\\| \\[${first}\\])`), `ours, ${counts.join(' + ')}`)
  }
  return [file, page]
}

async function readmePage(): Promise<[string, string]> {
  const rows = servers.map(({ name, withDefinition }) =>
    withDefinition(async (definition) => {
      if (definition.name !== name) throw new Error(`servers.ts calls ${definition.name} ${name}.`)
      const [tools, more] = await toolCounts(definition)
      const amount = more > 0 ? `${tools} + ${more} optional` : String(tools)
      return [`[${shortVendor(definition)}](apps/${name}/README.md)`, `\`${name}\``, amount]
    }),
  )
  const table = markdownTable(['For', 'Server', 'Tools'], await Promise.all(rows))
  return ['README.md', await withSections('README.md', { servers: table })]
}

const perServer = await Promise.all(servers.map((server) => server.withDefinition(filesOf)))
const files = [
  ...perServer.flat(),
  await docsPage(),
  await clientsPage(),
  await configurationPage(),
  await suitePage('reliability', 'reliability', ['promises', 'faults', 'counts', 'weaknesses']),
  await suitePage('exactly-once', 'exactly-once', ['creates']),
  await telemetryPage(),
  dashboardFile(),
  await operationsPage(),
  ...(await emulatorPages()),
  ...rulesPages(),
  ...deploymentFiles(),
  await readmePage(),
  await comparisonPage(),
  await recording(),
  ...seedSchemas(),
  ...(await emulatorReadmes()),
]
const stale: string[] = []
for (const [file, generated] of files) {
  const content = await tidy(file, generated)
  if ((await text(file)) === content) continue
  stale.push(file)
  if (process.argv.includes('--check')) continue
  await mkdir(path.dirname(path.join(root, file)), { recursive: true })
  await writeFile(path.join(root, file), content)
}
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run npm run generate.`)
  process.exit(1)
}
