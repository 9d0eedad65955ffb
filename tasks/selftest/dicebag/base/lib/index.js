'use strict'

/** Number of dice, their sides and what is added, of a throw such as `2d6+1`. */
function read(text) {
  const [, count, sides, more] = /^(\d*)d(\d+)([+-]\d+)?$/.exec(text.trim())
  return { count: Number(count), sides: Number(sides), more: Number(more || 0) }
}

/** The most that a throw can come to. */
function most(text) {
  const { count, sides, more } = read(text)
  return count * sides + more
}

/** A throw in words. */
function shown(text) {
  const { count, sides, more } = read(text)
  return `${count} x ${sides}${more ? ` and ${more}` : ''}`
}

module.exports = { read, most, shown }
