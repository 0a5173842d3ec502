import { member, parseJson } from '@mcp-toolkits/core/base'
import type { KnownPerson } from '../people/identity-provider/identity-provider.ts'
import { type Call, type Outcome, send } from '../cluster/client.ts'
import type { Company } from './company.ts'

/** The link in the error from a call without an account. */
export function linkIn(outcome: Outcome): string {
  const error = outcome.kind === 'error' ? member(parseJson(outcome.text), 'error') : undefined
  const url = member(member(error, 'next'), 'url')
  if (typeof url !== 'string') throw new Error(`There is no link: ${JSON.stringify(outcome)}`)
  return url
}

/** Calls as a person without an account, and opens the error's link. */
export async function connectPerson(company: Company, person: KnownPerson, call: Call): Promise<void> {
  const refused = await send(company.url, { ...call, token: company.tokenOf(person) })
  const { status, text } = await company.connect(person, linkIn(refused))
  if (status !== 200) throw new Error(`${person.subject} is not connected: ${text}`)
}

/** Connects all people, a few at a time. */
export async function connectEveryone(company: Company, call: Call, parallel = 5): Promise<void> {
  const queue = company.people.values()
  const work = async () => {
    for (const person of queue) await connectPerson(company, person, call)
  }
  await Promise.all(Array.from({ length: parallel }, work))
}
