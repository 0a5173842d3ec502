import * as fc from 'fast-check'
import { type Node, parseTree } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { runInSlices } from '@mcp-toolkits/core/base'
import { canonicalText, readLayout } from '../src/pipelines/body/json-text.ts'

/** JSON with whitespace wherever it is allowed, escapes in strings, and repeated names. */
const json = fc.letrec((tie) => {
  const space = fc.constantFrom('', ' ', '\n', '\t\r\n  ')
  const string = fc.oneof(
    fc.string().map((text) => JSON.stringify(text)),
    fc.constantFrom('"a"', '"batch"', '"\\""', '"\\\\"', '"{[,"', '"\\u00e9"'),
  )
  const join = (parts: readonly string[], gap: string) => parts.join(`${gap},${gap}`)
  const member = fc.tuple(string, space, tie('value')).map(([name, gap, value]) => `${name}${gap}:${gap}${String(value)}`)
  const array = fc.tuple(fc.array(tie('value'), { maxLength: 4 }), space)
  return {
    object: fc.tuple(fc.array(member, { maxLength: 4 }), space).map(([members, gap]) => `${gap}{${gap}${join(members, gap)}${gap}}${gap}`),
    value: fc.oneof(
      { depthSize: 'small' },
      string,
      fc.constantFrom('1', '-1.50e3', '12345678901234567890', 'true', 'null'),
      array.map(([elements, gap]) => `[${gap}${join(elements.map(String), gap)}${gap}]`),
      tie('object').map((text) => String(text).trim()),
    ),
  }
}).object

function canonicalNode(node: Node, text: string): string {
  const children = node.children ?? []
  if (node.type === 'array') return `[${children.map((child) => canonicalNode(child, text)).join(',')}]`
  if (node.type !== 'object') return text.slice(node.offset, node.offset + node.length)
  const members = children.map((property) => (property.children ?? []).map((part) => canonicalNode(part, text)).join(':'))
  return `{${members.sort().join(',')}}`
}

const spanOf = ({ offset, length }: Node) => ({ start: offset, end: offset + length })

const noLimits = { maxDepth: Infinity, maxMembers: Infinity, maxElements: Infinity }

test('reads the layout and the canonical text of any object as a JSON parser does', async () => {
  await fc.assert(
    fc.asyncProperty(json, async (object) => {
      const text = object
      const root = parseTree(text)
      if (!root) throw new Error(`This is not JSON: ${text}`)
      expect(canonicalText(text)).toBe(canonicalNode(root, text))
      expect(await runInSlices(readLayout(text, noLimits))).toEqual(
        (root.children ?? []).map((property) => {
          const [name, value] = property.children ?? []
          const elements = value?.type === 'array' ? (value.children ?? []).map(spanOf) : undefined
          return { name: String(name?.value), span: spanOf(property), elements, elementCount: elements?.length ?? 0 }
        }),
      )
    }),
    { numRuns: 500 },
  )
})
