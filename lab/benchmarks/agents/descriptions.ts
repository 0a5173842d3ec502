// Grades for tool descriptions, given by hand, with a reason for each grade below five; and facts that can be computed.
import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
import * as z from 'zod'
import { descriptionOf, isObject } from '../../../packages/core/src/base/json.ts'
import { table } from '../tables.ts'
import graded from './grades.json' with { type: 'json' }

/** The weight of each dimension, in percent, and the requirement for five points. */
const rubric = [
  ['purpose', 25, 'A verb and its object come first, and no other tool fits the sentence.'],
  ['usage', 20, 'Says when to call it, and which tool to call in its place for what is similar.'],
  ['behavior', 20, 'Says what a caller would not expect: what stays, what cannot be undone, order, limits.'],
  ['parameters', 15, 'Each says which values it accepts, and what leaving it out means.'],
  ['conciseness', 10, 'Every word helps to choose or to call; there is no chain of synonyms.'],
  ['completeness', 10, 'With its schemas, it is enough for a call that succeeds at the first try.'],
] as const

const Below = z.partialRecord(z.enum(rubric.map(([name]) => name)), z.tuple([z.int().min(1).max(4), z.string().min(10)]))
const Grades = z.object({ date: z.string(), tools: z.record(z.string(), z.object({ digest: z.string(), below: Below })) })
const { date, tools: entries } = Grades.parse(graded)

const parametersOf = ({ inputSchema }: Tool) =>
  Object.entries(inputSchema.properties ?? {}).map(([name, schema]) => ({
    name,
    text: isObject(schema) ? String(descriptionOf(schema)) : '',
  }))

/** A digest of all text of a tool, so that no grade outlives the text for which it was given. */
export function digestOf(tool: Tool): string {
  const texts = [tool.title, tool.description, parametersOf(tool)]
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12)
}

/** Facts that require no judgement. */
function factsOf(tool: Tool) {
  const { name, description = '' } = tool
  return {
    'names another tool': description.includes(name.slice(0, name.indexOf('_') + 1)),
    'says when': /\b(?:use|when|already)\b/i.test(description),
    'says a limit': /\b(?:not|nobody|nothing|cannot|never|only|without|excluded|stays?|first|already|joins|null)\b/i.test(description),
    'has up to 330 characters': description.length <= 330,
  }
}

/** The grades of tools, from 1 to 5, with the entry that a tool needs in grades.json if its text has changed since it was graded. */
export function gradesOf(tools: readonly Tool[]) {
  return tools.map((tool) => {
    const { below = {}, digest: known } = entries[tool.name] ?? {}
    const digest = digestOf(tool)
    const points = rubric.map(([name]) => below[name]?.[0] ?? 5)
    const grade = rubric.reduce((sum, [name, weight]) => sum + ((below[name]?.[0] ?? 5) * weight) / 100, 0)
    const reasons = Object.entries(below).map(([name, [, reason]]) => `${name}: ${reason}`)
    return {
      name: tool.name,
      points,
      grade,
      reasons,
      facts: factsOf(tool),
      missing: known === digest ? [] : [[tool.name, { digest, below }] as const],
    }
  })
}

type Row = ReturnType<typeof gradesOf>[number]

/** One server's grades. */
export function summaryOf(rows: readonly Row[], server: string) {
  const own = rows.filter(({ name }) => name.startsWith(`${server}_`))
  const grades = own.map(({ grade }) => grade)
  const shares = Object.values(own[0]?.facts ?? {}).map((_, fact) => own.filter(({ facts }) => Object.values(facts)[fact]).length)
  return { tools: own.length, mean: grades.reduce((sum, grade) => sum + grade, 0) / own.length, lowest: Math.min(...grades), shares }
}

/** The page with the rubric and the grades. */
export function gradesPage(rows: readonly Row[]): string {
  const servers = [...new Set(rows.map(({ name }) => name.split('_')[0] ?? ''))].map((server) => {
    const { tools, mean, lowest, shares } = summaryOf(rows, server)
    return [server, tools, mean.toFixed(2), lowest.toFixed(2), ...shares]
  })
  const graded = rows.map(({ name, points, grade, reasons }) => [name, ...points, grade.toFixed(2), reasons.join('; ')])
  return [
    `# Grades of the descriptions\n\nGraded by hand on ${date}. A text that changes is graded again in \`grades.json\`, and \`npm run test:file -- lab/benchmarks/agents/descriptions.test.ts --update\` writes this page.`,
    table(['dimension', '%', 'what five points take'], rubric),
    table(['server', 'tools', 'mean', 'lowest', ...Object.keys(rows[0]?.facts ?? {})], servers),
    table(['tool', ...rubric.map(([name]) => name), 'grade', 'why not five'], graded),
  ].join('\n\n')
}
