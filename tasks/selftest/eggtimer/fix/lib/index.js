'use strict'

/** Seconds of a time such as `1:30`, `45` or `1:00:00`. */
function seconds(text) {
  return text
    .trim()
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
}

/** Seconds as a person writes them. */
function shown(total) {
  const two = (number) => String(number).padStart(2, '0')
  const minutes = Math.floor(total / 60)
  return minutes < 60 ? `${minutes}:${two(total % 60)}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(total % 60)}`
}

/** What an oven shows while it counts down. */
function steps(total, step) {
  const times = []
  for (let left = total; left > 0; left -= step) times.push({ left, text: shown(left) })
  return times
}

module.exports = { seconds, shown, steps }
