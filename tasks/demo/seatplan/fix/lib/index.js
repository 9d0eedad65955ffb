'use strict'

/** Columns of a terminal that a text takes. */
function width(text) {
  return [...text].reduce((sum, sign) => sum + (sign.codePointAt(0) > 0x2e7f ? 2 : 1), 0)
}

/** The text in the middle of so many columns. */
function card(text, columns) {
  const free = Math.max(0, columns - width(text))
  const left = Math.floor(free / 2)
  return ' '.repeat(left) + text + ' '.repeat(free - left)
}

module.exports = { card, width }
