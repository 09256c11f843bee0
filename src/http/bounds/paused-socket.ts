import type { Socket } from 'node:net'

/** Pauses a socket until `resumeReading`. Node resumes a socket by itself, e.g. when a message is complete. */
export function stopReading(socket: Socket): void {
  socket.on('resume', pauseAgain)
  socket.pause()
}

/** Resumes a socket, unless another caller of `stopReading` still keeps it paused. */
export function resumeReading(socket: Socket): void {
  socket.off('resume', pauseAgain)
  socket.resume()
}

function pauseAgain(this: Socket): void {
  this.pause()
}
