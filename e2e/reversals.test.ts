import { describe, expect, it } from 'vitest'
import type { Tool } from '../packages/core/src/tool/tool.ts'
import { understandArguments } from '../packages/core/src/corrections/read-arguments.ts'
import { allowedValues, type Parameter, parametersOf } from '../packages/core/src/corrections/parameters.ts'
import { ToolError } from '../packages/core/src/errors/errors.ts'
import { isFull } from '../packages/testing/src/runs.ts'
import { servers } from '../servers.ts'

const today = '2026-11-22'
const beginnings = ['un', 'not_', 'no_', 'non-', 'ex-', 'remove_', 'disable_', 'exclude_', 'not ', 'without_', 'Not', '!', 'dont_']
const swaps = [
  ['after', 'before'],
  ['created', 'updated'],
  ['start', 'end'],
  ['add', 'remove'],
  ['include', 'exclude'],
  ['enable', 'disable'],
  ['source', 'destination'],
  ['parent', 'child'],
  ['subscribe', 'unsubscribe'],
] as const

/** Each run tries a share of all cases; a different seed selects a different share. */
const shares = isFull ? 1 : 15
const seed = Number(process.env['REVERSALS_SEED'] ?? Math.floor(Math.random() * shares))

function reversed(text: string): string[] {
  const swapped = swaps.flatMap(([one, other]) => [
    ...(text.includes(one) ? [text.replace(one, other)] : []),
    ...(text.includes(other) ? [text.replace(other, one)] : []),
  ])
  return [...beginnings.map((beginning) => `${beginning}${text}`), ...swapped]
}

/** A value that the parameter accepts. */
function sampleOf(parameter: Parameter): unknown {
  const samples = [...allowedValues(parameter), true, 'ENG-1', 5, '2027-12-01', 'https://acme.example/a', ['ada@acme.example'], []]
  return samples.find((each) => parameter.accepts(each))
}

/** The interpretation of the call, or else the proposals and suggestions. */
function outcomeOf(tool: Pick<Tool<never>, 'input'>, args: Record<string, unknown>) {
  try {
    return { read: understandArguments(tool.input, args, today).args }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const { next, suggestions = [] } = error.details
    return { change: next?.change ?? {}, suggested: suggestions.map(({ value }) => value) }
  }
}

async function toolsOf(server: (typeof servers)[number]): Promise<readonly Pick<Tool<never>, 'name' | 'input'>[]> {
  return server.withDefinition(async (definition) => (await definition.load.tools()).map(({ name, input }) => ({ name, input })))
}

/** Minimum number of cases for a server. A server with few tools may have none. */
const least = (tools: readonly unknown[], cases: number) => (tools.length < 5 ? 0 : cases)

describe.each(servers.map((server) => ({ name: server.name, server })))(`$name (REVERSALS_SEED=${seed})`, ({ server }) => {
  it('never reads a name as a parameter that means the opposite', async () => {
    const tools = await toolsOf(server)
    let count = 0
    for (const tool of tools) {
      const parameters = parametersOf(tool.input)
      for (const parameter of parameters) {
        const others = parameters
          .filter((each) => each !== parameter && each.isRequired)
          .map((each): [string, unknown] => [each.name, sampleOf(each)])
        for (const name of reversed(parameter.name)) {
          count += 1
          if (count % shares !== seed % shares || parameters.some((each) => each.name === name)) continue
          const value = sampleOf(parameter)
          const { read, change, suggested } = outcomeOf(tool, { ...Object.fromEntries(others), [name]: value })
          const where = `${tool.name} ${name}`
          expect(read, where).toBeUndefined()
          if (typeof value === 'boolean') expect(change?.[parameter.name], where).not.toBe(value)
          else expect(Object.keys(change ?? {}), where).not.toContain(parameter.name)
          if (typeof value !== 'boolean') expect(suggested, where).not.toContain(parameter.name)
        }
      }
    }
    expect(count).toBeGreaterThanOrEqual(least(tools, 51))
  })

  it('never reads a value as one that means the opposite', async () => {
    const tools = await toolsOf(server)
    let count = 0
    for (const tool of tools) {
      const parameters = parametersOf(tool.input)
      const required = Object.fromEntries(parameters.filter((each) => each.isRequired).map((each) => [each.name, sampleOf(each)]))
      for (const parameter of parameters)
        for (const value of allowedValues(parameter).filter((each) => typeof each === 'string'))
          for (const written of reversed(value)) {
            count += 1
            if (count % shares !== seed % shares || parameter.accepts(written)) continue
            const { read, change, suggested } = outcomeOf(tool, { ...required, [parameter.name]: written })
            const where = `${tool.name} ${parameter.name}: ${written}`
            expect(read, where).toBeUndefined()
            expect(change?.[parameter.name], where).not.toEqual(value)
            expect(suggested, where).not.toContain(value)
          }
    }
    expect(count).toBeGreaterThanOrEqual(least(tools, 11))
  })
})
