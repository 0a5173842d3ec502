import type { Tool } from '@mcp-toolkits/core/tool'
import { withApps } from '../apps/with-apps.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { type Listing, toolListProblem, withoutPrefix } from './listing.ts'

type Chosen = Pick<Settings, 'toolsets' | 'tools' | 'apps'>
type WithToolsets<Context> = Pick<ServerDefinition<Context>, 'toolsets'>

/** The name that stands for every toolset. */
const all = 'all'

/** The problem with a `--toolsets` list, to complete a sentence that begins with the option; undefined if there is none. */
export function toolsetProblem({ toolsets = {} }: WithToolsets<never>, names: readonly string[]): string | undefined {
  const known = Object.keys(toolsets)
  const unknown = names.filter((name) => name !== all && !known.includes(name))
  if (unknown.length === 0) return undefined
  const hint = known.length === 0 ? 'This server has none.' : `Toolsets: ${[...known, all].join(', ')}.`
  return `names unknown toolsets: ${unknown.join(', ')}. ${hint}`
}

/** The server with the chosen toolsets' tools added to its own. A `--tools` list may name any toolset's tools. */
export async function withToolsets<Context, Server extends ServerDefinition<Context>>(
  definition: Server & ServerDefinition<Context>,
  chosen: Chosen,
): Promise<Server> {
  const namesOthers = toolListProblem(definition, chosen.tools ?? []) !== undefined
  const toolsets = Object.entries(definition.toolsets ?? {}).flatMap(([name, toolset]) =>
    namesOthers || isChosen(name, chosen) ? [toolset] : [],
  )
  if (toolsets.length === 0) return withApps<Context, Server>(definition, chosen)
  const listed = await Promise.all(toolsets.map((toolset) => toolset.listed()))
  const load = async (): Promise<readonly Tool<Context>[]> => {
    const [own, ...others] = await Promise.all([definition.load.tools(), ...toolsets.map(async ({ tools }) => (await tools()).tools)])
    return [...own, ...others.flat()]
  }
  const listedTools = [...definition.listedTools, ...listed.flatMap((each) => each.listedTools)]
  return withApps<Context, Server>({ ...definition, listedTools, load: { ...definition.load, tools: load } }, chosen)
}

const isChosen = (name: string, { toolsets = [] }: Chosen) => toolsets.includes(all) || toolsets.includes(name)

/** The server's enabled and disabled toolsets. */
export function toolsetsOf({ toolsets = {} }: WithToolsets<never>, chosen: Chosen): { readonly on: string[]; readonly off: string[] } {
  const { on = [], off = [] } = Object.groupBy(Object.keys(toolsets), (name) => (isChosen(name, chosen) ? 'on' : 'off'))
  return { on, off }
}

/** The toolset of a tool that the server does not show, under any spelling of its name; undefined for an unknown name. */
export async function toolsetOf(
  { prefix, toolsets = {} }: WithToolsets<never> & { readonly prefix: string },
  name: string,
): Promise<string | undefined> {
  const written = withoutPrefix(name, prefix)
  const names = await Promise.all(
    Object.entries(toolsets).map(async ([toolset, { listed }]) => {
      const { listedTools } = await listed()
      return listedTools.some((tool) => tool.name === written) ? [toolset] : []
    }),
  )
  return names.flat()[0]
}

/** Maximum size of `tools/list`, in bytes: some clients silently drop a longer list. */
const maxListBytes = 48 * 1024

/** Warns that clients may drop the list, and advises what to do; undefined for a list that all clients accept. */
export function listProblem({ tools }: Pick<Listing, 'tools'>): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(tools))
  if (bytes <= maxListBytes) return undefined
  return `The list of tools takes ${Math.ceil(bytes / 1024)} KB, and some clients drop a list over 48 KB. Choose fewer toolsets with --toolsets, or individual tools with --tools.`
}
