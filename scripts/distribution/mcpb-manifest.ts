import { listing } from '../../packages/server/src/mcp/listing/listing.ts'
import type { Variable } from '../../packages/server/src/cli/options/option.ts'
import { pageOf, privacyText, repository, type DistributedServer } from './distributed-server.ts'
import { optionForms } from './option-forms.ts'

/**
 * The manifest of a bundle for Claude Desktop (MCPB 0.4). A form field left empty reaches the server as an empty variable, and an empty key
 * is an error; it does not select the embedded default. So the form has a switch for the embedded default, initially on.
 */
export function bundleManifest(server: DistributedServer, keywords: unknown): object {
  const { definition, distribution, tools } = server
  const { url } = repository()
  const advertised = listing({ ...definition, listedTools: tools }, { readOnly: false, toolNames: 'safe' }).tools
  const fields = distribution.variables.flatMap((variable) =>
    variable.formLabel === undefined ? [] : [{ ...variable, formLabel: variable.formLabel }],
  )
  const optionFields = optionForms.map((form) => ({ ...form, key: form.name.replaceAll('-', '_') }))
  const [embeddedField, ...otherFields] = optionFields.map(({ key, title, description, defaultValue }) => {
    const field = {
      type: 'boolean',
      title,
      description: description(distribution.embeddedDescription),
      default: defaultValue,
      required: false,
    }
    return [key, field] as const
  })
  return {
    manifest_version: '0.4',
    name: `mcp-toolkits-${definition.name}`,
    display_name: definition.title,
    version: definition.version,
    description: distribution.summary,
    long_description: longDescription(server),
    author: { name: 'MCP Toolkits contributors', url },
    repository: { type: 'git', url: `${url}.git` },
    homepage: pageOf(server),
    documentation: pageOf(server),
    support: `${url}/issues`,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/dist/main.js'],
        env: {
          ...Object.fromEntries(optionFields.map(({ key, variable = '' }) => [variable, `\${user_config.${key}}`])),
          ...Object.fromEntries(fields.map((variable) => [variable.name, `\${user_config.${keyOf(variable, definition.name)}}`])),
        },
      },
    },
    tools: advertised.map(({ name, title }) => ({ name, description: title })),
    keywords,
    license: 'MIT',
    privacy_policies: [distribution.privacy.policy],
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=22.19.0' } },
    user_config: {
      ...(embeddedField && Object.fromEntries([embeddedField])),
      ...Object.fromEntries(fields.map((variable) => [keyOf(variable, definition.name), fieldOf(variable)])),
      ...Object.fromEntries(otherFields),
    },
  }
}

/** A variable's key in a server's form: `EVENT_PIPELINE_API_KEY` is `api_key` for event-pipeline. */
function keyOf({ name }: Variable, server: string): string {
  return name.toLowerCase().replace(`${server.replaceAll('-', '_')}_`, '')
}

function fieldOf({ formLabel, description, secret, defaultValue = '' }: Variable & { readonly formLabel: string }): object {
  const hint = secret ? `${description} Required when sample data is off.` : description
  return { type: 'string', title: formLabel, description: hint, sensitive: secret ?? false, required: false, default: defaultValue }
}

function longDescription(server: DistributedServer): string {
  const { definition, distribution } = server
  return [
    `Connects an agent to ${definition.vendor}. It starts with sample data: ${distribution.embeddedDescription}. Every result says so. Turn sample data off to work with an account.`,
    `## Connect an account\n\n${distribution.accountHint}`,
    `## Privacy\n\n${privacyText(server)}`,
  ].join('\n\n')
}
