import { isObject, type JsonObject, parseJson } from '../../../packages/core/src/base/json.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/library.ts'
import { changesIn, sendJson, type World } from './world.ts'

export async function openEvents(): Promise<World> {
  const key = 'pipelines-emulator'
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  const { url } = await emulator.listen()
  return {
    ...{ vendor: 'events', url, key },
    begin({ prepare }) {
      emulator.reset()
      prepare?.events?.(emulator)
      emulator.snapshot('beginning')
    },
    requests: () => emulator.requests().length,
    changes() {
      emulator.faults.clear()
      const changes = changesIn(emulator.diff('beginning'), { nameOf: (_, row) => String(row['type']), fieldsOf: (_, row) => row })
      // An event that the vendor dropped, refused or already knew leaves nothing behind.
      return Promise.resolve(
        changes.filter(({ fields }) => fields['outcome'] === 'accepted').map((change) => ({ ...change, fields: callOf(change.fields) })),
      )
    },
    doHarm: () => sendJson(`${url}/v1/identify`, `Basic ${btoa(`${key}:`)}`, { userId: 'a-stranger', traits: { plan: 'none' } }),
    async [Symbol.asyncDispose]() {
      await emulator.close()
    },
  }
}

/** The call as sent, with its type. */
function callOf({ type, body }: JsonObject): JsonObject {
  const call = parseJson(String(body))
  return { ...(isObject(call) ? call : {}), type }
}
