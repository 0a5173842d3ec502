import { document, type Html } from '@mcp-toolkits/emulator/pages'
import { html } from 'hono/html'
import { folderType, isFolder, isShortcut, type Item } from '../items.ts'
import type { OpenPicker, PickerRequest } from './pickers.ts'
import { folderAddress, type Signpost, type View } from './places.ts'

/** What the page shows besides the place. */
export interface Shown {
  readonly picker: OpenPicker
  readonly view: View
  /** Where the view is, for the answer. */
  readonly address: string
  /** What was searched for. */
  readonly sought: string
  readonly tops: readonly Signpost[]
  /** What is ticked and not at this place. */
  readonly elsewhere: readonly Item[]
  /** Names this page, once. */
  readonly ticket: string
  readonly notice?: Notice
}

/** What a person is told first. */
export interface Notice {
  readonly role: 'alert' | 'status'
  readonly text: string
}

/** The page on which a person chooses what an application is given. One form and no script: whatever is pressed, the ticks are kept. */
export function pickerPage(shown: Shown): Html {
  const { picker, view, address, tops, ticket, notice } = shown
  const { app, fileIds } = picker.request
  const isFixed = fileIds.length > 0
  return document(
    `Choose what ${app} may use`,
    html`<p><strong>This is not Google.</strong> It is a storage on this machine. ${app} may see and change what you give it.</p>
      ${notice === undefined ? '' : html`<p role="${notice.role}" tabindex="-1" autofocus>${notice.text}</p>`}
      <form method="post" action="${picker.path}" enctype="multipart/form-data">
        <input type="hidden" name="ticket" value="${ticket}" />
        <input type="hidden" name="place" value="${address}" />
        ${isFixed ? '' : html`${searchRow(shown.sought)} ${waysRow('Places', tops)} ${trailRow(view)}`} ${listOf(shown)}
        ${isFixed ? '' : uploadBox(view, picker.request)}
        <p class="row last">
          <button class="main" name="do" value="give">Give access</button>
          <button name="do" value="refuse">Cancel</button>
        </p>
      </form>`,
  )
}

/** Stands first, so that Enter searches. */
const searchRow = (sought: string): Html =>
  html`<div role="search" class="row">
    <label for="find">Search names</label>
    <input type="search" id="find" name="find" value="${sought}" />
    <button name="do" value="find">Search</button>
  </div>`

const way = ({ label, address }: Signpost): Html => html`<button name="do" value="go:${address}">${label}</button>`

const waysRow = (name: string, ways: readonly Signpost[]): Html =>
  html`<nav aria-label="${name}">
    <ul class="plain row">
      ${ways.map((each) => html`<li>${way(each)}</li>`)}
    </ul>
  </nav>`

const trailRow = ({ trail, title }: View): Html | '' =>
  trail.length === 0
    ? ''
    : html`<nav aria-label="Path">
        <ol class="plain row path">
          ${trail.map((each) => html`<li>${way(each)}</li>`)}
          <li><span aria-current="page">${title}</span></li>
        </ol>
      </nav>`

function listOf({ picker, view, elsewhere }: Shown): Html {
  const line = (item: Item) => itemLine(item, picker)
  const { items, next, previous, title } = view
  const pages = [previous, next].filter((each) => each !== undefined)
  return html`<fieldset>
      <legend>${picker.request.fileIds.length > 0 ? 'Files and folders asked for' : title}</legend>
      ${
        items.length === 0
          ? html`<p>There is nothing here.</p>`
          : html`<ul class="plain items">
              ${items.map(line)}
            </ul>`
      }
      ${pages.length === 0 ? '' : waysRow('Pages', pages)}
    </fieldset>
    ${
      elsewhere.length === 0
        ? ''
        : html`<fieldset>
            <legend>Chosen elsewhere</legend>
            <ul class="plain items">
              ${elsewhere.map(line)}
            </ul>
          </fieldset>`
    }`
}

function itemLine(item: Item, { request, chosen }: OpenPicker): Html {
  const { id, name, granted } = item
  const opened = isFolder(item) ? id : item.targetMimeType === folderType ? item.targetId : null
  const changed = html`changed <span class="whole">${item.modifiedTime.slice(0, 10)}</span>`
  const words = html`${name}<small>${described(item)}, ${changed}${granted === 1 ? '; given already' : ''}</small>`
  const open = opened === null ? '' : html`<button name="do" value="go:${folderAddress(opened)}" aria-label="Open ${name}">Open</button>`
  if (isFolder(item) && !request.folders) return html`<li><span>${words}</span>${open}</li>`
  const kind = request.multiple ? 'checkbox' : 'radio'
  return html`<li>
    <input type="${kind}" name="chosen" value="${id}" id="item-${id}" ${chosen.includes(id) ? 'checked' : ''} />
    <label for="item-${id}">${words}</label>${open}
  </li>`
}

const nativeTypes: Readonly<Record<string, string>> = {
  [folderType]: 'Folder',
  'application/vnd.google-apps.document': 'Document',
  'application/vnd.google-apps.spreadsheet': 'Spreadsheet',
  'application/vnd.google-apps.presentation': 'Presentation',
}

function described(item: Item): string {
  const { mimeType, size } = item
  const kind = isShortcut(item) ? 'Shortcut' : (nativeTypes[mimeType] ?? mimeType)
  const hasSize = size !== null && nativeTypes[mimeType] === undefined
  return [kind, ...(hasSize ? [inWords(size)] : [])].join(', ')
}

function inWords(bytes: number): string {
  const [kilo, mega] = [1000, 1_000_000]
  if (bytes < kilo) return `${bytes} bytes`
  return bytes < mega ? `${Math.round(bytes / kilo)} kB` : `${(bytes / mega).toFixed(1)} MB`
}

function uploadBox({ folder }: View, { mimeTypes }: PickerRequest): Html | '' {
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

/** The last page, when something was given. */
export const givenPage = (app: string, items: readonly Item[]): Html =>
  document(
    'Access given',
    html`<p role="status">Done. You can close this page and repeat the request.</p>
      <p>${app} may now use:</p>
      <ul>
        ${items.map((item) => html`<li>${item.name}${isFolder(item) ? ' (the folder itself, not what was in it before)' : ''}</li>`)}
      </ul>`,
  )

/** The last page, when the person wanted to give nothing. */
export const refusedPage = (app: string): Html =>
  document(
    'Nothing was given',
    html`<p role="status">You gave ${app} no access. You can close this page; to choose after all, ask for a new address.</p>`,
  )
