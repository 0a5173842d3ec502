// Stryker negates every class of a regular expression. It turns \p{RGI_Emoji} into \P{RGI_Emoji}, which no engine accepts, so that none of
// the file's tests can run.
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'emoji-property',
    value: {
      /** @param {{ node: { type: string, pattern?: string } }} path */
      shouldIgnore: ({ node: { type, pattern = '' } }) =>
        type === 'RegExpLiteral' && pattern.includes('\\p{RGI_Emoji}') ? 'The negated property is not valid.' : undefined,
    },
  },
]
