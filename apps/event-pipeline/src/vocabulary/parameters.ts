import { type Reading, synonyms, type Vocabulary, words } from '@mcp-toolkits/core/arguments'

/** What callers write for the mode. */
export const modeVocabulary: Vocabulary = {
  names: words('action operation tool_mode'),
  values: synonyms({
    get_request_schema: 'schema get_schema request_schema describe help openapi',
    execute: 'run exec send submit call invoke perform',
  }),
  read: readDryRun,
}

/** No mode tries a call out; the schema is what comes closest without sending anything. */
function readDryRun(written: unknown): Reading | undefined {
  return typeof written === 'string' && /^\s*dry/i.test(written) ? { possible: ['get_request_schema'] } : undefined
}

/** What callers write for the strictness parameters. */
export const strictnessNames = words(
  'enable_strict_mode enable_strict_validation strict strict_mode strict_validation enable_strict validate validate_strictly x_strict_mode',
)
