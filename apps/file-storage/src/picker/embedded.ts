import type { EmbeddedDrive } from '../vendor.ts'
import { OpenPages, pageLifetimeMs, type PagePicker } from './page-picker.ts'

export function embeddedPicker(drive: EmbeddedDrive): PagePicker {
  const controller = new AbortController()
  const open = new OpenPages()
  return {
    flow: 'embedded',
    pendingPages: open.pending,
    async openPage() {
      const { url, expiresAt, done } = await drive.openPicker({
        app: 'File Storage',
        lifetimeMs: pageLifetimeMs,
        signal: controller.signal,
      })
      open.add({ ended: done })
      return { url, expiresAt }
    },
    close() {
      controller.abort()
      return Promise.resolve()
    },
  }
}
