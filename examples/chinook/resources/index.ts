import { album } from './album.ts'
import { artist } from './artist.ts'
import { customer } from './customer.ts'
import { employee } from './employee.ts'
import { genre } from './genre.ts'
import { invoice } from './invoice.ts'
import { invoiceLine } from './invoice-line.ts'
import { mediaType } from './media-type.ts'
import { playlist } from './playlist.ts'
import { staff } from './staff.ts'
import { track } from './track.ts'
import { video } from './video.ts'

/** Every resource type of the music store. */
export const resources = [
  artist,
  album,
  track,
  video,
  genre,
  mediaType,
  playlist,
  customer,
  employee,
  staff,
  invoice,
  invoiceLine,
] as const
