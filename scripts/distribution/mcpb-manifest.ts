import { listing } from '../../packages/server/src/listing.ts'
import { options, type Option, type Variable } from '../../packages/server/src/options.ts'
import { pageOf, place, type Offered } from './offered.ts'
import { privacyText } from './privacy.ts'

/**
 * The manifest of a bundle for Claude Desktop (MCPB 0.4). A form field that stays empty reaches the server as an empty variable, and an
 * empty key is an error, never the embedded default. So the form asks which of the two is wanted, and begins with the embedded default.
 */
export function bundleManifest(offered: Offered, keywords: readonly string[]): object {
  const { definition, distribution, tools } = offered
  const { url } = place()
  const advertised = listing({ ...definition, listed: tools }, { readOnly: false, toolNames: 'safe' }).tools
  const fields = distribution.variables.flatMap((variable) =>
    variable.field === undefined ? [] : [{ ...variable, field: variable.field }],
  )
  const asked = Object.values<Option>(options).flatMap(({ name, variable = '', form }) =>
    form ? [{ key: name.replaceAll('-', '_'), variable, form }] : [],
  )
  const [practice, ...rest] = asked.map(({ key, form: { title, description, initially } }) => {
    const field = {
      type: 'boolean',
      title,
      description: description(distribution.embeddedDescription),
      default: initially,
      required: false,
    }
    return [key, field] as const
  })
  return {
    manifest_version: '0.4',
    name: `mcp-toolkits-${definition.name}`,
    display_name: `${definition.title} for ${capitalised(definition.vendor.replace(/^the /, ''))}`,
    version: definition.version,
    description: distribution.summary,
    long_description: longDescription(offered),
    author: { name: 'MCP Toolkits contributors', url },
    repository: { type: 'git', url: `${url}.git` },
    homepage: pageOf(offered),
    documentation: pageOf(offered),
    support: `${url}/issues`,
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: {
        command: 'node',
        args: ['${__dirname}/dist/main.js'],
        env: {
          ...Object.fromEntries(asked.map(({ key, variable }) => [variable, `\${user_config.${key}}`])),
          ...Object.fromEntries(fields.map((variable) => [variable.name, `\${user_config.${keyOf(variable)}}`])),
        },
      },
    },
    tools: advertised.map(({ name, title }) => ({ name, description: title })),
    keywords,
    license: 'MIT',
    privacy_policies: [distribution.privacy.policy],
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=22.19.0' } },
    user_config: {
      ...(practice && Object.fromEntries([practice])),
      ...Object.fromEntries(fields.map((variable) => [keyOf(variable), fieldOf(variable)])),
      ...Object.fromEntries(rest),
    },
  }
}

/** `EVENT_PIPELINE_API_KEY` is `api_key` in the form. */
function keyOf({ name }: Variable): string {
  return name.split('_').slice(2).join('_').toLowerCase()
}

function fieldOf({ field, about, secret, standard = '' }: Variable & { readonly field: string }): object {
  const description = secret ? `${about} Needed once practice data is off.` : about
  return { type: 'string', title: field, description, sensitive: secret ?? false, required: false, default: standard }
}

function longDescription(offered: Offered): string {
  const { definition, distribution } = offered
  return [
    `${definition.title} connects an agent to ${definition.vendor}. It begins on practice data: ${distribution.embeddedDescription}. Every result says so. Switch practice data off to work with an account.`,
    `## Connect an account\n\n${distribution.accountHint}`,
    `## Privacy\n\n${privacyText(offered)}`,
  ].join('\n\n')
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
