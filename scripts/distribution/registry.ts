import { options, type Option, type Variable } from '../../packages/server/src/options.ts'
import { packageName, pageOf, place, registryName, type Offered } from './offered.ts'

const schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/**
 * The entry of a server in the MCP Registry. Options are variables there and not arguments: an argument of a registry always has a value,
 * and `--read-only` takes none. Clients ask for each variable that stands there, so only those do that a person has an answer to.
 */
export function registryEntry(offered: Offered): object {
  const { definition, distribution } = offered
  const { url } = place()
  const keys = distribution.variables.filter(({ field }) => field !== undefined)
  // A client may hand on as empty what nobody answered; beside a key, a token would then only be in its way.
  const own = keys.length > 0 ? keys : distribution.variables.filter(({ secret, name }) => secret && name.endsWith('_ACCESS_TOKEN'))
  const shared = Object.values<Option>(options).flatMap(({ variable, form }) =>
    form && variable !== undefined ? [{ name: variable, ...form.variable }] : [],
  )
  return {
    $schema: schema,
    name: registryName(offered),
    title: definition.title,
    description: distribution.summary,
    version: definition.version,
    repository: { url, source: 'github', subfolder: `apps/${definition.name}` },
    websiteUrl: pageOf(offered),
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: packageName(offered),
        version: definition.version,
        runtimeHint: 'npx',
        runtimeArguments: [{ type: 'positional', value: '-y' }],
        transport: { type: 'stdio' },
        environmentVariables: [...own, ...shared].map(input),
      },
    ],
  }
}

function input({ name, about, secret, choices, standard }: Variable): object {
  return {
    name,
    description: about,
    isRequired: false,
    isSecret: secret ?? false,
    format: 'string',
    ...(choices && { choices }),
    ...(standard !== undefined && { default: standard }),
  }
}

/** The fields of the package's manifest that follow from where the project lives. npm and the registry check both. */
export function publishedFields(offered: Offered): object {
  const { url } = place()
  return {
    mcpName: registryName(offered),
    homepage: pageOf(offered),
    bugs: `${url}/issues`,
    repository: { type: 'git', url: `git+${url}.git`, directory: `apps/${offered.definition.name}` },
  }
}
