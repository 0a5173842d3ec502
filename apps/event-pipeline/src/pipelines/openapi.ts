import type { CallName, JsonObject } from './call.ts'
import { components, type ComponentName } from './schemas.ts'

const bodies: Readonly<Record<CallName, { readonly component: ComponentName; readonly summary: string }>> = {
  identify: { component: 'Identify', summary: 'Identify a person and assign traits' },
  track: { component: 'Track', summary: 'Record an event' },
  page: { component: 'Page', summary: 'Record a page view' },
  screen: { component: 'Screen', summary: 'Record a screen view' },
  group: { component: 'Group', summary: 'Add a person to a group' },
  alias: { component: 'Alias', summary: 'Merge two identities' },
  batch: { component: 'Batch', summary: 'Send several calls' },
}

/** An OpenAPI 3.1 document of one request body, with only the components that it refers to. https://spec.openapis.org/oas/v3.1.1 */
export function openapiOf(name: CallName): JsonObject {
  const { component, summary } = bodies[name]
  return {
    openapi: '3.1.0',
    info: { title: `Customer.io Pipelines API: ${summary}`, version: '1' },
    paths: {
      [`/${name}`]: {
        post: {
          summary,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } },
          },
          responses: {
            '200': { description: 'Taken. In permissive mode this does not prove that the body was valid or processed.' },
            '400': { description: 'Strict mode: the body is not valid.' },
            '401': { description: 'Strict mode: the API key is not valid.' },
          },
        },
      },
    },
    components: { schemas: Object.fromEntries([...reachable(component)].map((each) => [each, components[each]])) },
  }
}

function reachable(start: ComponentName, seen = new Set<ComponentName>()): Set<ComponentName> {
  if (seen.has(start)) return seen
  seen.add(start)
  const mentioned = JSON.stringify(components[start])
  for (const name of Object.keys(components)) {
    if (isComponent(name) && mentioned.includes(`"#/components/schemas/${name}"`)) reachable(name, seen)
  }
  return seen
}

function isComponent(name: string): name is ComponentName {
  return Object.hasOwn(components, name)
}
