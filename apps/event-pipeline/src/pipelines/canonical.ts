import { createHash } from 'node:crypto'
import { parseTree, type Node } from 'jsonc-parser'
import type { Body } from './body.ts'
import { isObject, type CallName, type JsonObject } from './call.ts'

/** One call of a body: what kind, under which id, and a hash by which the same call is recognised however it is laid out. */
export interface CallPrint {
  readonly type: string
  readonly messageId: string | undefined
  readonly hash: string
}

/** The calls of a body, in order: one, or those of a batch. */
export function callPrints(name: CallName, { text, json, items }: Body): CallPrint[] {
  const batch: unknown = json['batch']
  if (name !== 'batch' || !Array.isArray(batch)) return [print(name, json, text)]
  const calls: unknown[] = batch
  return items.map(({ start, end }, index) => {
    const call = calls[index]
    const type = isObject(call) && typeof call['type'] === 'string' ? call['type'] : ''
    return print(type, call, text.slice(start, end))
  })
}

function print(type: string, call: unknown, text: string): CallPrint {
  const messageId = isObject(call) ? idOf(call) : undefined
  return { type, messageId, hash: hashOf(`${type}\n${canonical(text)}`) }
}

function idOf(call: JsonObject): string | undefined {
  const { messageId } = call
  return typeof messageId === 'string' && messageId !== '' ? messageId : undefined
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** JSON text without its layout: keys sorted, blanks gone, every number and string exactly as written. */
export function canonical(text: string): string {
  const root = parseTree(text)
  return root ? written(root, text) : text.trim()
}

function written(node: Node, text: string): string {
  const children = node.children ?? []
  if (node.type === 'array') return `[${children.map((child) => written(child, text)).join(',')}]`
  if (node.type === 'object') {
    const members = children.map((property) => (property.children ?? []).map((part) => written(part, text)).join(':'))
    return `{${members.sort().join(',')}}`
  }
  return text.slice(node.offset, node.offset + node.length)
}
