import { document, type Html } from '@mcp-toolkits/emulator'
import { html } from 'hono/html'
import { folderType, isFolder, isShortcut, type Item } from '../store/items.ts'
import type { PickerRequest } from '../oauth/authorization.ts'
import type { PickerSession } from './pickers.ts'
import { folderAddress, type Breadcrumb, type PickerViewContent } from './views.ts'

/** The page's texts and addresses, apart from the view. */
export interface PickerPageOptions {
  readonly picker: PickerSession
  readonly view: PickerViewContent
  /** Address of the current view, for the form. */
  readonly address: string
  readonly searchText: string
  readonly roots: readonly Breadcrumb[]
  /** Selected items outside this view. */
  readonly selectedElsewhere: readonly Item[]
  /** One-time token of the form. */
  readonly ticket: string
  readonly notice?: PickerNotice
}

/** A message at the top of the page. */
export interface PickerNotice {
  readonly role: 'alert' | 'status'
  readonly text: string
}

/** The picker page: one form without a script, so every button keeps the selection. */
export function pickerPage(options: PickerPageOptions): Html {
  const { picker, view, address, roots, ticket, notice } = options
  const { app, fileIds } = picker.request
  const isFixed = fileIds.length > 0
  return document(
    `Choose what ${app} may use`,
    html`<p>
        <strong>This is not Google.</strong> It is an emulator of Google Drive on this machine. ${app} may see and change what you give it.
      </p>
      ${notice === undefined ? '' : html`<p role="${notice.role}" tabindex="-1" autofocus>${notice.text}</p>`}
      <form method="post" action="${picker.path}" enctype="multipart/form-data">
        <input type="hidden" name="ticket" value="${ticket}" />
        <input type="hidden" name="place" value="${address}" />
        ${isFixed ? '' : html`${searchRow(options.searchText)} ${navigationRow('Places', roots)} ${breadcrumbRow(view)}`} ${listOf(options)}
        ${isFixed ? '' : uploadBox(view, picker.request)}
        <p class="row last">
          <button class="main" name="do" value="give">Give access</button>
          <button name="do" value="refuse">Cancel</button>
        </p>
      </form>`,
  )
}

/** Search row, first in the form so that Enter searches. */
const searchRow = (searchText: string): Html =>
  html`<div role="search" class="row">
    <label for="find">Search names</label>
    <input type="search" id="find" name="find" value="${searchText}" />
    <button name="do" value="find">Search</button>
  </div>`

const navigationLink = ({ label, address }: Breadcrumb): Html => html`<button name="do" value="go:${address}">${label}</button>`

const navigationRow = (name: string, links: readonly Breadcrumb[]): Html =>
  html`<nav aria-label="${name}">
    <ul class="plain row">
      ${links.map((each) => html`<li>${navigationLink(each)}</li>`)}
    </ul>
  </nav>`

const breadcrumbRow = ({ trail, title }: PickerViewContent): Html | '' =>
  trail.length === 0
    ? ''
    : html`<nav aria-label="Path">
        <ol class="plain row path">
          ${trail.map((each) => html`<li>${navigationLink(each)}</li>`)}
          <li><span aria-current="page">${title}</span></li>
        </ol>
      </nav>`

function listOf({ picker, view, selectedElsewhere }: PickerPageOptions): Html {
  const line = (item: Item) => itemLine(item, picker)
  const { items, next, previous, title } = view
  const pages = [previous, next].filter((each) => each !== undefined)
  return html`<fieldset>
      <legend>${picker.request.fileIds.length > 0 ? 'Requested files and folders' : title}</legend>
      ${
        items.length === 0
          ? html`<p>There is nothing here.</p>`
          : html`<ul class="plain items">
              ${items.map(line)}
            </ul>`
      }
      ${pages.length === 0 ? '' : navigationRow('Pages', pages)}
    </fieldset>
    ${
      selectedElsewhere.length === 0
        ? ''
        : html`<fieldset>
            <legend>Chosen elsewhere</legend>
            <ul class="plain items">
              ${selectedElsewhere.map(line)}
            </ul>
          </fieldset>`
    }`
}

function itemLine(item: Item, { request, selection }: PickerSession): Html {
  const { id, name, granted } = item
  const folderId = isFolder(item) ? id : item.targetMimeType === folderType ? item.targetId : null
  const changed = html`changed <span class="whole">${item.modifiedTime.slice(0, 10)}</span>`
  const words = html`${name}<small>${describeItem(item)}, ${changed}${granted === 1 ? '; given already' : ''}</small>`
  const open =
    folderId === null ? '' : html`<button name="do" value="go:${folderAddress(folderId)}" aria-label="Open ${name}">Open</button>`
  if (isFolder(item) && !request.folders) return html`<li><span>${words}</span>${open}</li>`
  const kind = request.multiple ? 'checkbox' : 'radio'
  return html`<li>
    <input type="${kind}" name="chosen" value="${id}" id="item-${id}" ${selection.includes(id) ? 'checked' : ''} />
    <label for="item-${id}">${words}</label>${open}
  </li>`
}

const nativeTypes: Readonly<Record<string, string>> = {
  [folderType]: 'Folder',
  'application/vnd.google-apps.document': 'Document',
  'application/vnd.google-apps.spreadsheet': 'Spreadsheet',
  'application/vnd.google-apps.presentation': 'Presentation',
}

function describeItem(item: Item): string {
  const { mimeType, size } = item
  const kind = isShortcut(item) ? 'Shortcut' : (nativeTypes[mimeType] ?? mimeType)
  const hasSize = size !== null && nativeTypes[mimeType] === undefined
  return [kind, ...(hasSize ? [describeSize(size)] : [])].join(', ')
}

function describeSize(bytes: number): string {
  const [kilo, mega] = [1000, 1_000_000]
  if (bytes < kilo) return `${bytes} bytes`
  return bytes < mega ? `${Math.round(bytes / kilo)} kB` : `${(bytes / mega).toFixed(1)} MB`
}

function uploadBox({ folder }: PickerViewContent, { mimeTypes }: PickerRequest): Html | '' {
  if (folder === undefined) return ''
  const accept = mimeTypes.length === 0 ? '' : html`accept="${mimeTypes.join(',')}"`
  return html`<fieldset>
    <legend>Upload into ${folder.name}</legend>
    <p class="row">
      <label for="file">File</label>
      <input type="file" id="file" name="file" ${accept} />
      <button name="do" value="upload">Upload</button>
    </p>
  </fieldset>`
}

/** The final page after a selection. */
export const pickedPage = (app: string, items: readonly Item[]): Html =>
  document(
    'Access given',
    html`<p role="status">Done. You can close this page and repeat the request.</p>
      <p>${app} may now use:</p>
      <ul>
        ${items.map((item) => html`<li>${item.name}${isFolder(item) ? ' (the folder itself, without what is already in it)' : ''}</li>`)}
      </ul>`,
  )

/** The final page after a cancellation. */
export const cancelledPage = (app: string): Html =>
  document(
    'No access was given',
    html`<p role="status">You gave ${app} no access. You can close this page. To choose files later, ask ${app} for a new link.</p>`,
  )
