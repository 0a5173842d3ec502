import { hash } from 'node:crypto'
import { actionOf, type ChaosAction, type FaultAction } from './fault-rules.ts'

/**
 * Draws the faults of a chaos rule. What befalls the n-th attempt at an operation depends on the seed, the operation and n
 * alone, so a run can be repeated whatever the order in which its requests arrive.
 */
export function chaosDice({ seed, rate, kinds, max_in_a_row = 3 }: ChaosAction): (operation: string) => FaultAction | undefined {
  const seen = new Map<string, { attempts: number; inARow: number }>()
  return (operation) => {
    const { attempts, inARow } = seen.get(operation) ?? { attempts: 0, inARow: 0 }
    const { chance, choice } = roll(seed, operation, attempts + 1)
    const kind = inARow < max_in_a_row && chance < rate ? kinds[Math.floor(choice * kinds.length)] : undefined
    seen.set(operation, { attempts: attempts + 1, inARow: kind === undefined ? 0 : inARow + 1 })
    return kind === undefined ? undefined : actionOf(kind)
  }
}

/** Two numbers in [0, 1) that look random. */
function roll(seed: number | string, operation: string, attempt: number): { chance: number; choice: number } {
  const digest = hash('sha256', JSON.stringify([seed, operation, attempt]))
  const fraction = (from: number) => Number.parseInt(digest.slice(from, from + 12), 16) / 2 ** 48
  return { chance: fraction(0), choice: fraction(12) }
}
