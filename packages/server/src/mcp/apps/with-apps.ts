import type { ServerDefinition, Settings } from '../definition.ts'

/** The server with the tools that only its apps call, or without its apps. */
export function withApps<Context, Server extends ServerDefinition<Context>>(
  definition: Server & ServerDefinition<Context>,
  { apps }: Pick<Settings, 'apps'>,
): Server {
  const { load, listedTools, toolsForApps } = definition
  if (apps === 'off') return { ...definition, load: { ...load, apps: undefined } }
  if (!toolsForApps) return definition
  // A tool that models may call is not only for apps.
  const others = toolsForApps.listed.filter(({ name }) => !listedTools.some((own) => own.name === name))
  const listed = others.map((tool) => ({ ...tool, isForApps: true as const }))
  const tools = async () => (await Promise.all([toolsForApps.tools(), load.tools()])).flat()
  return { ...definition, listedTools: [...listedTools, ...listed], load: { ...load, tools } }
}
