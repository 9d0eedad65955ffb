/** Amounts as cooks write them. Counted in 48ths: halves, thirds, quarters, sixths and eighths are whole then. */
const PARTS = 48

export function read(text: string): number {
  const parts = text.trim().split(/\s+/).map(part)
  if (parts.some((value) => !Number.isFinite(value))) throw new RangeError(`no amount: ${text}`)
  return Math.round(parts.reduce((sum, value) => sum + value, 0))
}

function part(word: string): number {
  const [over, under = '1'] = word.split('/')
  return (Number(over) * PARTS) / Number(under)
}

export function write(amount: number): string {
  const whole = Math.floor(amount / PARTS)
  const rest = amount - whole * PARTS
  if (rest === 0) return String(whole)
  const under = [2, 3, 4, 6, 8, 48].find((parts) => (rest * parts) % PARTS === 0) ?? PARTS
  const part = `${(rest * under) / PARTS}/${under}`
  return whole ? `${whole} ${part}` : part
}
