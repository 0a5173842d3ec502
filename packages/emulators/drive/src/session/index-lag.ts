/** The time of the latest change visible to lagging methods, in ISO 8601; without a lag they see all, whatever the clock says. */
export const shownUntil = ({ now, quirks }: { readonly now: number; readonly quirks: { readonly indexLag: number } }): string =>
  quirks.indexLag > 0 ? new Date(now - quirks.indexLag).toISOString() : '9999'
