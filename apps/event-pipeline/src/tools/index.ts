import { sendBatchRequests } from './batch.ts'
import { sendPageViewEvent, sendScreenViewEvent, trackUserEvent } from './events.ts'
import { addToGroup, aliasUserIdentity, identifyPersonAndAssignTraits } from './people.ts'

export const tools = [
  identifyPersonAndAssignTraits,
  trackUserEvent,
  sendPageViewEvent,
  sendScreenViewEvent,
  addToGroup,
  aliasUserIdentity,
  sendBatchRequests,
]
