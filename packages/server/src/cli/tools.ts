import { listing } from '../listing.ts'
import { type Command, print, printJson, UsageError } from './command.ts'

/** Prints the tools, or all about one of them; with `--json`, what `tools/list` answers. */
export const tools: Command = async (definition, line, console) => {
  const [name, ...rest] = line.operands
  if (rest.length > 0) throw new UsageError('tools takes the name of one tool at most.')
  const { settings, json } = line
  const shown = listing(definition, settings)
  if (name !== undefined) {
    const { describeTool, toolHelp } = await import('./tool-help.ts')
    if (json) await printJson(console.output, { ...(await describeTool(definition, settings, name)).advertised })
    else await print(console.output, await toolHelp(definition, { name, settings, asFlags: false }, console))
    return 0
  }
  if (json) {
    await printJson(console.output, { tools: shown.tools })
    return 0
  }
  const width = Math.max(...shown.tools.map((tool) => tool.name.length))
  await print(console.output, shown.tools.map((tool) => `${tool.name.padEnd(width)}  ${tool.title}`).join('\n'))
  return 0
}
