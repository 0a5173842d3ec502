import type { Caller } from '@mcp-toolkits/core/base'
import { type ReadResourceResult, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { currentCaller } from '../calls/current-request.ts'
import type { Loaders, ServerDefinition } from '../definition.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import { type AdvertisedTool, type Listing, withoutPrefix } from '../listing/listing.ts'
import type { App } from './app.ts'
import { appType } from './capability.ts'

/** A server's apps, for clients that show them. */
export interface Apps {
  /** The entries of `tools/list`, including tools that only apps call, each with the app that shows its result. */
  readonly tools: () => AdvertisedTool[]
  /** The entries of `resources/list`. */
  readonly resources: () => { uri: string; name: string; title: string; description: string; mimeType: string }[]
  /** Returns an app's page. Throws `ResourceNotFoundError`. */
  readonly read: (uri: string) => Promise<ReadResourceResult>
}

interface AppServer extends Pick<ServerDefinition<never>, 'name' | 'prefix'> {
  readonly load: Pick<Loaders<never>, 'apps'>
}

/** The element that tells an app about its server. */
const place = '<script type="application/json" id="server"></script>'

/** Hosts apply their strictest policy to a page that names no origins. */
const meta = { ui: { prefersBorder: true } }

export async function openApps({ name, prefix, load }: AppServer, { tools, toolsForApps, find, spell }: Listing): Promise<Apps> {
  const apps = (await load.apps?.())?.apps ?? []
  const uriOf = (app: App) => `ui://${name}/${app.name}`
  const found = apps.filter(({ shows }) => shows.some((tool) => spell(`${prefix}.${tool}`) !== undefined))
  const uris = new Map(found.flatMap((app) => app.shows.map((tool) => [tool, uriOf(app)] as const)))
  const withApp = (tool: AdvertisedTool): AdvertisedTool => {
    const resourceUri = uris.get(withoutPrefix(tool.name, prefix))
    return resourceUri === undefined ? tool : { ...tool, _meta: { ...tool._meta, ui: { resourceUri } } }
  }
  return {
    tools: () => [
      ...tools.map(withApp),
      ...toolsForApps.map((tool) => ({ ...tool, _meta: { ...tool._meta, ui: { visibility: ['app'] } } })),
    ],
    resources: () =>
      found.map((app) => ({
        uri: uriOf(app),
        name: app.name,
        title: app.title,
        description: app.description,
        mimeType: appType,
        _meta: meta,
      })),
    async read(uri) {
      const app = found.find((each) => uriOf(each) === uri)
      if (!app) throw new ResourceNotFoundError(uri)
      const { html } = await app.load()
      const caller = currentCaller()
      const callable = [...app.shows, ...app.calls].flatMap((tool) => {
        const [listed, advertised] = [find(`${prefix}.${tool}`), spell(`${prefix}.${tool}`)]
        return listed && advertised !== undefined && permits(caller, listed) ? [[tool, advertised] as const] : []
      })
      const server = JSON.stringify({ app: app.name, tools: Object.fromEntries(callable) })
      return { contents: [{ uri, mimeType: appType, text: html.replace(place, () => place.replace('></', `>${server}</`)), _meta: meta }] }
    },
  }
}

/** True if the caller's token lets an app offer a tool. Each call is checked anyway. */
function permits(caller: Caller | undefined, { effect, annotations }: ListedTool): boolean {
  if (!caller || effect === 'read') return true
  return caller.permissions.includes(annotations['destructiveHint'] === true ? 'delete' : 'write')
}
