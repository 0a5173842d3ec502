import type { Variable } from '../../packages/server/src/cli/options/option.ts'
import { packageName, pageOf, repository, registryName, type DistributedServer } from './distributed-server.ts'
import { optionForms } from './option-forms.ts'

const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/**
 * A server's entry in the MCP Registry. Options are variables there, not arguments: a registry's arguments always have a value, and
 * `--read-only` takes none. Clients ask for every variable in the entry, so it has only those that a person can fill in.
 */
export function registryEntry(server: DistributedServer): object {
  const { definition, distribution } = server
  const { url } = repository()
  const keys = distribution.variables.filter(({ formLabel }) => formLabel !== undefined)
  // A client may pass on fields left empty as empty variables, and an empty token next to a key would be an error.
  const own = keys.length > 0 ? keys : distribution.variables.filter(({ secret, name }) => secret && name.endsWith('_ACCESS_TOKEN'))
  const shared = optionForms.map(({ variable = '', asVariable }) => ({ name: variable, ...asVariable }))
  return {
    $schema: schema,
    name: registryName(server),
    title: definition.title,
    description: distribution.summary,
    version: definition.version,
    repository: { url, source: 'github', subfolder: `apps/${definition.name}` },
    websiteUrl: pageOf(server),
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: packageName(server),
        version: definition.version,
        runtimeHint: 'npx',
        runtimeArguments: [{ type: 'positional', value: '-y' }],
        transport: { type: 'stdio' },
        environmentVariables: [...own, ...shared].map(input),
      },
    ],
  }
}

function input({ name, description, secret, choices, defaultValue }: Variable): object {
  return {
    name,
    description,
    isRequired: false,
    isSecret: secret ?? false,
    format: 'string',
    ...(choices && { choices }),
    ...(defaultValue !== undefined && { default: defaultValue }),
  }
}

/** The package.json fields that depend on the repository; npm and the MCP Registry check them. */
export function publishedFields(server: DistributedServer): object {
  const { url } = repository()
  return {
    mcpName: registryName(server),
    homepage: pageOf(server),
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git`, directory: `apps/${server.definition.name}` },
  }
}
