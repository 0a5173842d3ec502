/** Linear's guides for developers, and the schema that it publishes, whose comments describe types, fields and arguments. */
export const graphqlGuide = 'https://linear.app/developers/graphql'
export const rateLimits = 'https://linear.app/developers/rate-limiting'
export const oauthGuide = 'https://linear.app/developers/oauth-2-0-authentication'
export const pagination = 'https://linear.app/developers/pagination'
export const filtering = 'https://linear.app/developers/filtering'
export const attachmentsGuide = 'https://linear.app/developers/attachments'
export const schema = 'https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql'
