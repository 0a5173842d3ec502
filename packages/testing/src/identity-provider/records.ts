import type { Adapter, AdapterPayload } from 'oidc-provider'

/** What a provider stores, in memory. */
export function openRecords(): (model: string) => Adapter {
  const records = new Map<string, AdapterPayload>()
  const done = Promise.resolve()
  return (model) => {
    const find = (matches: (payload: AdapterPayload) => boolean) =>
      Promise.resolve([...records].find(([key, payload]) => key.startsWith(`${model} `) && matches(payload))?.[1])
    return {
      upsert(id, payload) {
        records.set(`${model} ${id}`, payload)
        return done
      },
      find: (id) => Promise.resolve(records.get(`${model} ${id}`)),
      findByUid: (uid) => find((payload) => payload.uid === uid),
      findByUserCode: (userCode) => find((payload) => payload.userCode === userCode),
      consume(id) {
        const found = records.get(`${model} ${id}`)
        if (found) records.set(`${model} ${id}`, { ...found, consumed: Math.floor(Date.now() / 1000) })
        return done
      },
      destroy(id) {
        records.delete(`${model} ${id}`)
        return done
      },
      revokeByGrantId(grantId) {
        for (const [key, payload] of records) if (key.startsWith(`${model} `) && payload.grantId === grantId) records.delete(key)
        return done
      },
    }
  }
}
