/** Where the pages of the workspace would be. */
export const workspaceUrl = 'https://linear.app/lodestar'
