// Takes the place of the client for the metadata of Google's own machines, which no server uses, so that it is not bundled.

function unused(): never {
  throw new Error('Every client is given the credentials that it uses.')
}

export { unused as getGCPResidency, unused as instance, unused as isAvailable, unused as project, unused as universe }
