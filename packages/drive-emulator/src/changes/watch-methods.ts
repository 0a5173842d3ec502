import { defineMethod } from '../defined-methods.ts'
import type { DriveEndpoint, EndpointRequest } from '../endpoints.ts'
import { required } from '../errors.ts'
import type { Item } from '../items.ts'
import { readScopes } from '../oauth/tokens.ts'
import type { Session } from '../session.ts'
import { channelResource, closeChannel, openChannel } from './channels.ts'
import { parseFeedFilter } from './feed.ts'

/** The methods of notification channels: https://developers.google.com/workspace/drive/api/guides/push. */
export const watchMethods: readonly DriveEndpoint[] = [
  defineMethod('changes.watch', {
    scopes: readScopes,
    cost: 'other',
    answer(session, request) {
      if (session.params.text('pageToken') === undefined) throw required('pageToken', 'Required parameter: pageToken')
      parseFeedFilter(session)
      return watch(session, request, null)
    },
  }),
  defineMethod('files.watch', {
    scopes: readScopes,
    cost: 'other',
    answer: (session, request) => watch(session, request, session.find(request.part('fileId'))),
  }),
  defineMethod('channels.stop', {
    scopes: readScopes,
    cost: 'other',
    async answer(session, { body }) {
      await session.store.write(() => {
        closeChannel(session, body())
      })
    },
  }),
]

async function watch(session: Session, { body, url }: EndpointRequest, file: Item | null): Promise<object> {
  const { store, surface } = session
  const watched = new URL(url)
  watched.pathname = watched.pathname.replace(/\/watch$/, '')
  watched.searchParams.set('alt', 'json')
  const channel = await store.write(() => openChannel(session, { file, url: watched }, { json: body(), hosts: surface?.hosts ?? [] }))
  surface?.opened(channel)
  return channelResource(channel)
}
