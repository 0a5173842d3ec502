import { type DriveEndpoint, withCost } from './endpoints.ts'
import { driveMethods } from './methods.ts'
import type { Scope } from './oauth/tokens.ts'
import { quotaUnits } from './quota.ts'

/** What a method of the API needs besides its path. */
export interface MethodDefinition {
  readonly scopes: readonly Scope[]
  readonly cost: keyof typeof quotaUnits
  readonly answer: DriveEndpoint['answer']
}

/** The endpoint of a method that Google's reference lists under this name. */
export function defineMethod(name: string, { scopes, cost, answer }: MethodDefinition): DriveEndpoint {
  const call = driveMethods.get(name)
  if (call === undefined) throw new Error(`${name} is not one of the methods in methods.ts.`)
  return { name, ...call, scopes, units: withCost(quotaUnits[cost]), answer }
}
