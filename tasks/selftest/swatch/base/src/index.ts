export interface Colour {
  red: number
  green: number
  blue: number
}

/** The channels of a colour such as `#ff8800`. */
export function read(text: string): Colour {
  const digits = text.trim().slice(1)
  const [red, green, blue] = [0, 2, 4].map((place) => Number.parseInt(digits.slice(place, place + 2), 16))
  return { red, green, blue }
}

/** How light a colour is, from 0 to 255. */
export function lightness(text: string): number {
  const { red, green, blue } = read(text)
  return Math.round((red + green + blue) / 3)
}
