// Random trees and what paths in them mean, for the tests of servers that resolve paths.
export { expectedItems } from './oracle.ts'
export { seeded } from './random.ts'
export { drawPath, growTree, type Tree } from './tree.ts'
