/** The time of the latest change that lagging methods know of, in ISO 8601; without a lag they know all, whatever the clock says. */
export const shownUntil = ({ now, quirks }: { readonly now: number; readonly quirks: { readonly indexLag: number } }): string =>
  quirks.indexLag > 0 ? new Date(now - quirks.indexLag).toISOString() : '9999'
