import { endpointTool } from './endpoint.ts'

export const sendBatchRequests = endpointTool({
  name: 'SendBatchRequests',
  title: 'Send several calls in one batch',
  purpose: 'Send several identify, track, page, screen, group and alias calls in one request.',
  call: 'batch',
  effect: 'create',
  destructive: true,
  strictness: ['enable_strict_mode', 'True'],
})
