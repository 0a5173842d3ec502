import { readFileSync } from 'node:fs'
import { Kind, parse, print, visit, type FragmentDefinitionNode, type OperationDefinitionNode } from 'graphql'

const all = parse(readFileSync(new URL('documents.graphql', import.meta.url), 'utf8')).definitions
const fragments = new Map(
  all.filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
)
const operations = all.filter((node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION)

/** The documents of `documents.graphql` by name, each with its fragments. */
export const documents: ReadonlyMap<string, string> = new Map(
  operations.map((operation) => {
    const used = new Set<FragmentDefinitionNode>()
    const collect = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
      visit(node, {
        FragmentSpread({ name }) {
          const fragment = fragments.get(name.value)
          if (fragment === undefined || used.has(fragment)) return
          used.add(fragment)
          collect(fragment)
        },
      })
    }
    collect(operation)
    return [operation.name?.value ?? '', [operation, ...used].map(print).join('\n')]
  }),
)

/** A document by name. */
export function documentOf(name: string): string {
  const found = documents.get(name)
  if (found === undefined) throw new Error(`There is no document ${name}.`)
  return found
}
