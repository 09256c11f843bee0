/** Keeps the only thread busy, as a read on SQLite does. @param duration - in milliseconds */
export function block(duration: number): void {
  const end = performance.now() + duration
  while (performance.now() < end);
}
