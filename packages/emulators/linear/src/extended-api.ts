import { setTimeout } from 'node:timers/promises'
import { stringAt } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from './engine/entity-module.ts'
import { resolvedFields as servedFields, resolverOf as servedResolver } from './entities.ts'
import type { ApiSurface } from './graphql/api-surface.ts'
import type { EntityChange } from './store/session.ts'
import { searchResults, storedOrComputed, storedValue, withExtras } from './engine/fields.ts'
import { crudOperations } from './engine/crud.ts'
import { customerOperations } from './customers/customers.ts'
import { discussionOperations } from './discussion/discussion.ts'
import { issueOperations } from './issues/history.ts'
import { labelOperations } from './issues/labels.ts'
import { organizationOperations } from './people/people.ts'
import { personalOperations } from './inbox/personal.ts'
import { planOperations } from './projects/plans.ts'
import { searchOperations } from './search/search.ts'
import { teamOperations } from './teams/operations.ts'
import { recordTypes } from './engine/records.ts'
import { entityTypes } from './engine/entity-types.ts'
import { vendorSchema } from './vendor/schema.ts'
import { answerUpload, uploadOperations } from './uploads/uploads.ts'
import { dropStrayDeliveries, openSender } from './webhooks/deliveries.ts'
import { storeDeliveries, webhookOperations } from './webhooks/webhooks.ts'

/** The later ones win. */
const modules: readonly Resolvers[] = [
  ...[...recordTypes].map((type) => crudOperations(type)),
  ...teamOperations,
  ...labelOperations,
  ...discussionOperations,
  ...issueOperations,
  ...searchOperations,
  ...planOperations,
  ...customerOperations,
  ...organizationOperations,
  ...personalOperations,
  uploadOperations,
  ...webhookOperations,
  {
    Project: { frequencyResolution: storedOrComputed('Project', 'frequencyResolution') },
    Initiative: { frequencyResolution: storedOrComputed('Initiative', 'frequencyResolution') },
    IssueLabel: { groupType: storedOrComputed('IssueLabel', 'groupType') },
  },
]

const resolvers: ReadonlyMap<string, FieldResolver> = new Map(
  modules.flatMap((module) =>
    Object.entries(module).flatMap(([type, fields]) =>
      Object.entries(fields).map(([field, resolver]) => [`${type}.${field}`, resolver] as const),
    ),
  ),
)

function resolverOf(type: string, field: string): FieldResolver | undefined {
  const own = resolvers.get(`${type}.${field}`)
  if (own !== undefined) return own
  const served = servedResolver(searchResults.get(type) ?? type, field)
  return served !== undefined && type === 'Mutation' ? withExtras(field, served) : served
}

/** Every query and mutation that behaves, as `Query.issue`. */
export const behaviors = (): ReadonlySet<string> => {
  const declared = vendorSchema()
  const fields = { Query: declared.getQueryType()?.getFields() ?? {}, Mutation: declared.getMutationType()?.getFields() ?? {} }
  const known = [...resolvers.keys(), ...servedFields]
  return new Set(
    known.filter((key) => Object.entries(fields).some(([kind, all]) => key.startsWith(`${kind}.`) && key.slice(kind.length + 1) in all)),
  )
}

const surface: ApiSurface = { entityTypes, resolverOf, vendorSchema, storedValue, answer: answerUpload }

/** Linear's full schema, and behavior for the part of it that people use most. */
export const extendedApi: ApiSurface = {
  ...surface,
  open({ store, now, clock = timer, webhooksTo }) {
    const sender = openSender({ store, now, sleep: clock.sleep, webhooksTo })
    // Deliveries may be pending since an earlier run.
    sender.wake()
    return {
      ...surface,
      onMutation(changes, session) {
        const changesWebhook = changes.some(({ type }) => type === 'Webhook')
        if (storeDeliveries(coalesce(changes), session, resolverOf) || changesWebhook) sender.wake()
      },
      restored() {
        dropStrayDeliveries(store)
        sender.wake()
      },
      close: sender.close,
    }
  },
}

/** Waits without keeping the process alive. */
const timer = { sleep: (ms: number) => setTimeout(ms, undefined, { ref: false }) }

/** Merges changes into one for each entity: from its state before the mutation to its present one. */
function coalesce(changes: readonly EntityChange[]): EntityChange[] {
  const byEntity = new Map<string, EntityChange>()
  for (const change of changes) {
    const id = `${change.type} ${stringAt(change.row, 'id')}`
    const first = byEntity.get(id)
    byEntity.set(
      id,
      first === undefined ? change : { ...change, action: change.action === 'remove' ? 'remove' : first.action, before: first.before },
    )
  }
  return [...byEntity.values()].filter(({ action, before }) => action !== 'remove' || before !== null)
}
