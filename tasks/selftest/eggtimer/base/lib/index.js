'use strict'

/** Seconds of a time such as `1:30` or `45`. */
function seconds(text) {
  const [minutes, rest] = text.trim().split(':').map(Number)
  return rest === undefined ? minutes : minutes * 60 + rest
}

/** Seconds as a person writes them. */
function shown(total) {
  return `${Math.floor(total / 60)}:${String(total % 60).padStart(2, '0')}`
}

/** What an oven shows while it counts down. */
function steps(total, step) {
  const times = []
  for (let left = total; left > 0; left -= step) times.push({ left, text: shown(left) })
  return times
}

module.exports = { seconds, shown, steps }
