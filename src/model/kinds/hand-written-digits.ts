// Hand-written digits. Each stored date is checked when it is read. To read its digits one by one takes 20 ns, with a regular
// expression 105 to 140 ns. In row `list` of the benchmark this is 3 of 59 µs, for 30 dates.
//
// Invariant: the result is that of `Number` for texts of the digits 0 to 9 alone.

const zero = '0'.charCodeAt(0)

/** Reads the digits from one index to before another; NaN if a character is not a digit. */
export function readDigits(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - zero
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}
