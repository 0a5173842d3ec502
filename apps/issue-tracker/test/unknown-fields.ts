import { member } from '@mcp-toolkits/core/base'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type Misbehaving, parsed } from './misbehaving.ts'

/** The schema of the emulator, which has 1,200 types. */
let schema: Promise<GraphQLSchema> | undefined

async function schemaOf(server: Misbehaving): Promise<GraphQLSchema> {
  const { data }: { data?: IntrospectionQuery } = Object.assign({}, parsed(await introspection(server)))
  if (!data) throw new Error('The emulator does not describe itself.')
  return buildClientSchema(data)
}

/** A Linear that does not know some fields, named as in `Issue.dueDate`; `seen` receives those that each document selects. */
export async function unknowing(server: Misbehaving, fields: readonly string[], seen: (fields: string[]) => void = () => undefined) {
  const types = new TypeInfo(await (schema ??= schemaOf(server)))
  return async (request: Request): Promise<Response> => {
    const asked: string[] = []
    const document = parse(String(member(parsed(await request.clone().text()), 'query')))
    const enter = ({ name }: { readonly name: { readonly value: string } }) =>
      void asked.push(`${types.getParentType()?.name}.${name.value}`)
    visit(document, visitWithTypeInfo(types, { Field: enter }))
    seen(asked)
    const errors = asked.filter((field) => fields.includes(field)).map(refusal)
    return errors.length === 0 ? server.emulator.fetch(request) : Response.json({ errors }, { status: 400 })
  }
}

function refusal(asked: string) {
  const [type, field] = asked.split('.')
  const message = `Cannot query field "${field}" on type "${type}". Did you mean "${field}V2"?`
  return { message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }
}

async function introspection({ emulator }: Misbehaving): Promise<string> {
  const headers = { authorization: 'lin_api_test', 'content-type': 'application/json' }
  const body = JSON.stringify({ query: getIntrospectionQuery() })
  return (await emulator.fetch(new Request('https://api.linear.app/graphql', { method: 'POST', headers, body }))).text()
}
