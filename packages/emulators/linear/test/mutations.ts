import { expect } from 'vitest'
import { idOf } from '../src/ids.ts'
import { type JsonObject } from '@mcp-toolkits/emulator'
import { openEmulator, like, type GraphQLResponse } from './emulator.ts'
import { documentOf } from './documents.ts'

export const eng = idOf('Team Engineering')
export const ops = idOf('Team Engineering Ops')
export const design = idOf('Team Design')
export const label = (name: string) => idOf(`IssueLabel ${name}`)
export const state = (name: string) => idOf(`WorkflowState ${name}`)
export const user = (name: string) => idOf(`User ${name}`)

/** An emulator with shorthands for mutations. */
export function openForMutations() {
  const emulator = openEmulator()
  const write = (name: string, variables: JsonObject) => emulator.ask(documentOf(name), variables)
  return {
    ...emulator,
    write,
    create: (input: JsonObject) => write('CreateIssue', { input: { teamId: eng, title: 'New', ...input } }),
    update: (id: string, input: JsonObject) => write('UpdateIssue', { id, input }),
    /** The names of an issue's subscribers. */
    subscribers: (id: string) =>
      emulator.at('issue.subscribers.nodes', 'query Of($id: String!) { issue(id: $id) { subscribers { nodes { name } } } }', { id }),
  }
}

const badArgument = 'Argument Validation Error'

/** Expects an input error and no data. */
export function expectInputError({ status, data, errors }: GraphQLResponse, why: string | RegExp, message = badArgument) {
  expect([status, data]).toEqual([200, null])
  const code = message === badArgument ? 'INVALID_INPUT' : 'INPUT_ERROR'
  expect(errors[0]).toMatchObject({
    message,
    extensions: { code, type: 'invalid input', userError: true, userPresentableMessage: like(why) },
  })
}
