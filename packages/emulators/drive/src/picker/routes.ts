import { guardPages, openTickets, browserOnly, problemPage } from '@mcp-toolkits/emulator'
import { Hono, type Context } from 'hono'
import { DriveError } from '../http/errors.ts'
import type { Session } from '../session/session.ts'
import { isFolder, isRoot, type Item, itemById, shareItemsWithApp } from '../store/items.ts'
import type { Viewer } from '../store/viewers.ts'
import { cancelledPage, pickedPage, type PickerNotice, pickerPage } from './page.ts'
import type { PickerRequest } from '../oauth/authorization.ts'
import { type PickerRegistry, type PickerSession, storeUpload } from './pickers.ts'
import { loadPickerView, parsePickerView, type PickerView, pickerViewUrl, rootsFor, searchAddress } from './views.ts'

export interface PickerRouteOptions {
  readonly pickers: PickerRegistry
  readonly now: () => number
  /** A person's own session. */
  readonly session: (viewer: Viewer) => Session
}

interface PickerSubmission {
  readonly context: Context
  readonly picker: PickerSession
  readonly session: Session
  readonly form: FormData
  readonly place: PickerView
}

const path = '/picker/:key'
const pageLifetimeMs = 30 * 60_000

/** The picker pages, for a browser on this machine that has the URL. */
export function pickerRoutes({ pickers, now, session }: PickerRouteOptions): Hono {
  const tickets = openTickets<PickerSession>({ now, lifetimeMs: pageLifetimeMs })
  const app = new Hono()
  app.use(path, ...browserOnly)
  const show: RenderPage = ({ context, picker, place }, notice) => {
    const { store } = session(picker.request.viewer)
    const view = loadPickerView(store, place, picker.request)
    const shown = new Set(view.items.map(({ id }) => id))
    const selectedElsewhere = picker.selection.filter((id) => !shown.has(id)).flatMap((id) => itemById(store, id) ?? [])
    guardPages(context, picker.request)
    const page = pickerPage({
      picker,
      view,
      address: pickerViewUrl(place),
      searchText: place.kind === 'found' ? place.text : '',
      roots: rootsFor(store),
      selectedElsewhere,
      ticket: tickets.issue(picker),
      ...(notice && { notice }),
    })
    return context.html(page, notice?.role === 'alert' ? 400 : 200)
  }
  app.get(path, (context) => {
    const picker = pickers.at(context.req.path)
    if (picker === undefined) return goneResponse(context)
    const uploaded = picker.selection.find((id) => id === context.req.query('uploaded'))
    const name = uploaded === undefined ? undefined : itemById(session(picker.request.viewer).store, uploaded)?.name
    const notice: PickerNotice | undefined = name === undefined ? undefined : { role: 'status', text: `${name} is uploaded and chosen.` }
    return show({ context, picker, place: parsePickerView(new URL(context.req.url).searchParams, picker.request) }, notice)
  })
  app.post(path, async (context) => {
    const form = await context.req.formData().catch(() => new FormData())
    const picker = pickers.at(context.req.path)
    if (picker === undefined) return goneResponse(context)
    const place = parsePickerView(new URLSearchParams(textOf(form, 'place')), picker.request)
    if (tickets.take(textOf(form, 'ticket')) !== picker) {
      return show({ context, picker, place }, alert('This page has already been sent, or has expired. Choose again here.'))
    }
    return handleSubmission({ context, picker, place, form, session: session(picker.request.viewer) }, show)
  })
  app.all(path, (context) => context.text('Method Not Allowed', 405, { allow: 'GET, POST' }))
  return app
}

type RenderPage = (at: Pick<PickerSubmission, 'context' | 'picker' | 'place'>, notice?: PickerNotice) => Response | Promise<Response>

const alert = (text: string): PickerNotice => ({ role: 'alert', text })

function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}

function goneResponse(context: Context) {
  guardPages(context, { forms: false })
  return context.html(problemPage('There is nothing to choose', 'This page has been answered, or has expired. Ask for a new link.'), 404)
}

async function handleSubmission(submission: PickerSubmission, show: RenderPage): Promise<Response> {
  const { context, picker, form, session } = submission
  const action = textOf(form, 'do')
  if (action === 'refuse') return finish(submission, undefined)
  const ticked = form.getAll('chosen').filter((id) => typeof id === 'string')
  const chosen = [...new Set(ticked)].filter((id) => isSelectable(itemById(session.store, id), picker.request))
  picker.selection = picker.request.multiple ? chosen : chosen.slice(0, 1)
  if (action === 'find') return context.redirect(`${picker.path}?${searchAddress(textOf(form, 'find'))}`, 303)
  if (action.startsWith('go:'))
    return context.redirect(`${picker.path}?${pickerViewUrl(parsePickerView(new URLSearchParams(action.slice(3)), picker.request))}`, 303)
  const uploaded = await receiveUpload(submission)
  if (typeof uploaded === 'string') return show(submission, alert(uploaded))
  if (uploaded !== undefined) picker.selection = picker.request.multiple ? [...picker.selection, uploaded.id] : [uploaded.id]
  if (action === 'upload') {
    if (uploaded === undefined) return show(submission, alert('Choose a file to upload first.'))
    return context.redirect(`${picker.path}?${pickerViewUrl(submission.place)}&uploaded=${uploaded.id}`, 303)
  }
  if (picker.selection.length === 0) return show(submission, alert('Nothing is chosen. Tick what you want to share, or upload a file.'))
  return finish(submission, picker.selection)
}

/** True if the item can be chosen. */
function isSelectable(item: Item | undefined, { folders, mimeTypes, fileIds }: PickerRequest): boolean {
  if (!item?.role || item.trashed === 1 || isRoot(item)) return false
  const fits = isFolder(item) ? folders : mimeTypes.length === 0 || mimeTypes.includes(item.mimeType)
  return fits && (fileIds.length === 0 || fileIds.includes(item.id))
}

/** Stores a submitted form's file; returns a message if that fails. */
async function receiveUpload({ form, picker, place, session }: PickerSubmission): Promise<Item | string | undefined> {
  const file = form.get('file')
  const { folder } = loadPickerView(session.store, place, picker.request)
  if (!(file instanceof File) || file.name === '') return undefined
  const { mimeTypes, fileIds } = picker.request
  if (folder === undefined || fileIds.length > 0) return 'Nothing can be uploaded here.'
  if (mimeTypes.length > 0 && !mimeTypes.includes(file.type)) return `Only files of these types are asked for: ${mimeTypes.join(', ')}.`
  try {
    return await storeUpload(session, file, folder)
  } catch (error) {
    if (error instanceof DriveError) return error.message
    throw error
  }
}

/** Grants the selection, if any, and redirects. */
async function finish({ context, picker, session: { store } }: PickerSubmission, ids: readonly string[] | undefined): Promise<Response> {
  const { app, redirectUrl } = picker.request
  // Another form may have been submitted while an upload was being read.
  if (!picker.end(ids === undefined ? { outcome: 'refused' } : { outcome: 'granted', ids })) return goneResponse(context)
  const items = (ids ?? []).flatMap((id) => itemById(store, id) ?? [])
  // A shortcut is useless without its target.
  if (ids !== undefined) {
    await store.write(() => {
      shareItemsWithApp(store, [...ids, ...items.flatMap(({ targetId }) => targetId ?? [])])
    })
  }
  const address = await redirectUrl?.(ids)
  if (address !== undefined) return context.redirect(address, 303)
  guardPages(context, { forms: false })
  return context.html(ids === undefined ? cancelledPage(app) : pickedPage(app, items))
}
