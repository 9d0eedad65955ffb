'use strict'

const MEASURES = { tsp: 5, tbsp: 15, cup: 240 }

/** Millilitres of an amount such as `2 tsp` or `2 cups`. */
function millilitres(text) {
  const [amount, measure] = text.trim().split(/\s+/)
  return Number(amount) * MEASURES[measure.toLowerCase().replace(/s$/, '')]
}

/** Several amounts at once, with what each comes to. */
function all(texts) {
  return texts.map((text) => ({ text, millilitres: millilitres(text) }))
}

module.exports = { millilitres, all }
