import { listing } from '../listing.ts'
import type { Command } from './cli.ts'
import { print } from './console.ts'

/** Prints the tools; with `--json`, what `tools/list` answers. */
export const tools: Command = async (definition, { settings, json }, console) => {
  const { tools: shown } = listing(definition, settings)
  if (json) {
    await print(console.output, JSON.stringify({ tools: shown }))
    return 0
  }
  const width = Math.max(...shown.map((tool) => tool.name.length))
  await print(console.output, shown.map((tool) => `${tool.name.padEnd(width)}  ${tool.title}`).join('\n'))
  return 0
}
