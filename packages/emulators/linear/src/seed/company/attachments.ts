/** An attachment that leads to a file of the company; its path is that in the shared drive. */
export const file = (path: string, by: string, at: number) => ({
  title: path.slice(path.lastIndexOf('/') + 1),
  subtitle: 'File of the shared drive Trails launch',
  url: `https://files.lodestar.example/trails-launch/${encodeURI(path)}`,
  by,
  at,
})

/** An attachment that leads to a change in the code. */
export const change = (number: number, title: string, { by, at }: { by: string; at: number }) => ({
  title: `#${number} ${title}`,
  url: `https://code.lodestar.example/lodestar/app/changes/${number}`,
  by,
  at,
})

/** An attachment that leads to a request of a customer. */
export const ticket = (number: number, from: string, at: number) => ({
  title: `Ticket ${number}`,
  subtitle: from,
  url: `https://support.lodestar.example/tickets/${number}`,
  by: 'Ada Okonkwo',
  at,
})
