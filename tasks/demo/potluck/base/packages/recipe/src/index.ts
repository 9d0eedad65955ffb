import { read, write } from '@potluck/quantity'
import pluralize from 'pluralize'

/** `2 egg` for four instead of two people is `4 eggs`. */
export function scale(line: string, from: number, to: number): string {
  const found = /^([\d./\s]*\d)\s+(.*)$/.exec(line)
  if (!found) return line
  const amount = (read(found[1]) * to) / from
  return `${write(Math.round(amount))} ${pluralize(found[2], amount > 48 ? 2 : 1)}`
}
