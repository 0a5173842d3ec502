import { text } from 'node:stream/consumers'
import { openToolbox } from '../toolbox.ts'
import type { Command } from './cli.ts'
import { logTo, print, type Console } from './console.ts'
import { interruptible } from './interrupt.ts'
import { UsageError } from './usage.ts'

/** One call: the result as JSON on standard output, or the error as JSON on standard error with exit code 1. */
export const call: Command = async (definition, { operands, settings, logLevel, output }, console) => {
  const [name, given, ...rest] = operands
  if (name === undefined) throw new UsageError("call needs a tool: call <tool> ['<json>'].")
  if (rest.length > 0) throw new UsageError('call takes one tool and one JSON object; put the JSON in quotes.')
  if (output !== undefined) throw new UsageError(`--output is for tools that download content; ${definition.name} has none.`)
  const toolbox = openToolbox(definition, settings, { log: logTo(console, logLevel === 'info' ? 'error' : logLevel) })
  const tool = toolbox.listing.find(name) ?? toolbox.listing.find(`${definition.prefix}.${name}`)
  if (!tool) throw new UsageError(`There is no tool "${name}". Tools: ${toolbox.listing.tools.map((each) => each.name).join(', ')}.`)
  const args = argumentsFrom(given ?? (await piped(console)))
  const progress = console.errors.isTTY ? drawnOn(console) : undefined
  try {
    return await interruptible(console, async (signal) => {
      const answer = await toolbox.call(tool, args, { signal, ...(progress && { progress }) })
      if (answer.ok) await print(console.output, JSON.stringify(answer.data, null, 2))
      else await print(console.errors, JSON.stringify({ error: answer.error }, null, 2))
      return answer.ok ? 0 : 1
    })
  } finally {
    await toolbox.close()
  }
}

async function piped({ input }: Console): Promise<string> {
  if ('isTTY' in input && input.isTTY) return ''
  return text(input)
}

function argumentsFrom(json: string): unknown {
  if (json.trim() === '') return {}
  try {
    return JSON.parse(json)
  } catch {
    throw new UsageError(`The arguments are not JSON: ${json.slice(0, 60)}`)
  }
}

function drawnOn({ errors }: Console) {
  return (done: number, total?: number, message = '') => {
    const share = total === undefined || total === 0 ? `${done}` : `${Math.round((done / total) * 100)} %`
    const end = total !== undefined && done >= total ? '\n' : ''
    errors.write(`\r\u001b[K${share} ${message}${end}`)
  }
}
