/** Amounts as cooks write them. Counted in 48ths: halves, thirds, quarters, sixths and eighths are whole then. */
const PARTS = 48

export function read(text: string): number {
  const words = text.trim().split(/\s+/)
  const [over, under = '1'] = words[words.length - 1].split('/')
  const value = (Number(over) * PARTS) / Number(under)
  if (!Number.isFinite(value)) throw new RangeError(`no amount: ${text}`)
  return Math.round(value)
}

export function write(amount: number): string {
  const whole = Math.floor(amount / PARTS)
  const rest = amount - whole * PARTS
  if (rest === 0) return String(whole)
  const under = [2, 3, 4, 6, 8, 48].find((parts) => (rest * parts) % PARTS === 0) ?? PARTS
  const part = `${(rest * under) / PARTS}/${under}`
  return whole ? `${whole} ${part}` : part
}
