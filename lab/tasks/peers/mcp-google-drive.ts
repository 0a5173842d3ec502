// mcp-google-drive. It returns results in a form that is not part of MCP, so the official client gets no content.
import type { PeerSolutions } from './peer.ts'

const noContent = 'answers without content: an agent learns no id from them'

const others = [
  ...['rename', 'put-away', 'trash', 'hotel', 'comment-role', 'copy', 'figure', 'one-file', 'two-budgets', 'lost-answer'],
  ...['hand-over', 'collect', 'names', 'photos'],
]

export const mcpGoogleDrive: PeerSolutions = {
  ...Object.fromEntries(others.map((task) => [`drive-${task}`, noContent])),
  async 'drive-folder'(call) {
    await call('create_folder', { name: 'Receipts' })
    return 'Done.'
  },
  'drive-quietly': 'no way to share without an email',
  'drive-revoke': 'no tool that takes access away',
  'drive-restore': 'no tool that restores from the trash',
  'drive-outsiders': 'no tool that takes access away',
}
