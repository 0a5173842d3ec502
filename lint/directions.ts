import { servers } from '../servers.ts'

/** A direction of imports, and its reason. See docs/architecture.md. */
interface Direction {
  readonly files: readonly string[]
  readonly except?: readonly string[]
  /** Packages, Node's modules, and paths from the root. The last match decides; `!` allows. */
  readonly forbidden: readonly string[]
  /** Applies the rule in tests too. */
  readonly inTests?: true
  /** The sentence shown to the author of offending code. */
  readonly reason: string
}

const sdk = '@modelcontextprotocol/*'
const ours = '@mcp-toolkits/*'
const apps = servers.map(({ packageName }) => packageName)
const emulators = ['@mcp-toolkits/*-emulator', '@mcp-toolkits/emulator']
const entries = ['main', 'server', 'embedded'].map((name) => `apps/*/src/${name}.ts`)
const apart = ['scripts', 'lab', 'e2e']
const vendors = ['linear', 'drive', 'pipelines'].map((name) => `apps/*/src/${name}/**`)

/** The Drive emulator's folders, lowest first: each may import only earlier ones. The files beside them may import all. */
const driveRooms =
  'rules http store people oauth content session sharing files revisions comments drives changes uploads picker seed pages api'.split(' ')
const driveSource = 'packages/emulators/drive/src'

/** The plugin's import rules, by name. Most tests may import anything. */
export const directions: Readonly<Record<string, Direction>> = {
  core: { files: ['packages/core/**'], forbidden: [sdk, ours, 'hono'], reason: 'core knows no protocol, no vendor and no other package.' },
  sqlite: { files: ['packages/sqlite/**'], forbidden: [sdk, ours], reason: 'sqlite imports none of our other packages.' },
  documents: { files: ['packages/documents/**'], forbidden: [sdk, ours], reason: 'documents imports none of our other packages.' },
  server: {
    files: ['packages/server/**'],
    forbidden: [ours, ...['core', 'sqlite', 'server'].map((name) => `!@mcp-toolkits/${name}`)],
    reason: 'Of our packages, server imports only core and sqlite.',
  },
  team: {
    files: ['packages/team/**'],
    forbidden: [ours, ...['core', 'sqlite', 'server', 'team'].map((name) => `!@mcp-toolkits/${name}`)],
    reason: 'Of our packages, team imports only core, sqlite and server.',
  },
  emulators: {
    files: ['packages/emulators/**'],
    forbidden: [sdk, ours, '!@mcp-toolkits/sqlite', '!@mcp-toolkits/emulator'],
    reason: 'An emulator shares no code with its clients.',
  },
  ...Object.fromEntries(
    driveRooms.map((room, floor): [string, Direction] => [
      `drive-${room}`,
      {
        files: [`${driveSource}/${room}/**`],
        forbidden: [driveSource, ...driveRooms.slice(0, floor + 1).map((below) => `!${driveSource}/${below}`)],
        reason: `In the Drive emulator, imports go down: ${driveRooms.toReversed().join(', ')}.`,
      },
    ]),
  ),
  testing: {
    files: ['packages/testing/**', 'releases/**'],
    forbidden: apart,
    reason: 'scripts, lab and e2e share this code, so it imports none of them.',
  },
  ...Object.fromEntries(
    apart.map((name): [string, Direction] => [
      name,
      {
        files: [`${name}/**`],
        forbidden: apart.filter((other) => other !== name),
        inTests: true,
        reason: 'scripts, lab and e2e do not import each other: code that two of them need is in packages/testing or releases.',
      },
    ]),
  ),
  apps: { files: ['apps/*/src/**'], forbidden: [sdk, ...apps], reason: 'The MCP SDK belongs to packages/server; apps never import apps.' },
  rooms: {
    files: ['apps/*/src/*/**'],
    except: ['apps/*/src/team/**'],
    forbidden: [...emulators, '@mcp-toolkits/server', '!@mcp-toolkits/server/account'],
    reason: 'Only server.ts and context.ts import the server and the emulator.',
  },
  parts: {
    files: ['apps/*/src/**'],
    except: ['apps/*/src/team/**', 'apps/*/src/server.ts'],
    forbidden: ['@mcp-toolkits/team'],
    reason: 'Code that only a team server needs is in src/team.',
  },
  tools: {
    files: ['apps/*/src/tools/**'],
    forbidden: ['node:*', ...entries],
    reason: 'A tool uses only its context.',
  },
  resolve: {
    files: ['apps/*/src/resolve/**'],
    forbidden: [...entries, 'apps/*/src/tools'],
    reason: 'Imports go down: main, server, tools, resolve, vendor, core.',
  },
  vendors: {
    files: vendors,
    forbidden: [...entries, 'apps/*/src/tools', 'apps/*/src/resolve'],
    reason: 'Imports go down: main, server, tools, resolve, vendor, core.',
  },
}
