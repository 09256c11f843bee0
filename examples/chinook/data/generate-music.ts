import {
  adjectives,
  type Culture,
  cities,
  cultures,
  english,
  farBands,
  type Genre,
  genres,
  latin,
  members,
  things,
} from './cultures.ts'
import type { Random } from './seeded-random.ts'

/** A row of the table `Track`, in column order. */
export type Track = [
  ...[id: number, name: string, album: number, mediaType: number, genre: number],
  ...[composer: string | null, milliseconds: number, bytes: number, price: number],
]
type Artist = ReturnType<typeof makeArtists>[number]

const mediaTypes = ['MPEG audio', 'Protected AAC audio', 'AAC audio', 'Purchased AAC audio']
mediaTypes.push('Protected MPEG-4 video')
const video = mediaTypes.length
const totals = { artistsWithAlbums: 204, albums: 347, tracks: 3503, playlistTracks: 8715 }

/** Generates the rows of the tables about music, by table name. */
export function generateMusic(random: Random) {
  const artists = makeArtists(random)
  const albums = makeAlbums(random, artists)
  const tracks = makeTracks(random, albums)
  const playlists = makePlaylists(random, tracks)
  return {
    Artist: artists.map(({ id, name }) => [id, name]),
    Album: albums.map(({ title, artist }, index) => [index + 1, title, artist.id]),
    Genre: genres.map(({ name }, index) => [index + 1, name]),
    MediaType: mediaTypes.map((name, index) => [index + 1, `${name} file`]),
    Track: tracks,
    Playlist: playlists.map(([name], index) => [index + 1, name]),
    PlaylistTrack: playlists.flatMap(([, ids], index) => ids.map((id) => [index + 1, id])),
  }
}

/** Calls `make` until it returns a value that is not in `used`, and adds the value to `used`. */
function makeUnique(used: Set<string>, make: () => string): string {
  let value = make()
  for (let tries = 0; used.has(value); tries += 1) {
    if (tries > 1000) throw new Error('No unique value found')
    value = make()
  }
  used.add(value)
  return value
}

function makeArtists(random: Random) {
  const used = new Set<string>()
  const kinds = genres.flatMap((genre) => Array.from({ length: genre.artists }, () => genre))
  return random.shuffle(kinds).map((genre, index) => {
    const culture = cultureOf(random, genre)
    const name = makeUnique(used, () => artistName(random, genre, culture))
    const writers = Array.from({ length: random.between(1, 3) }, () => person(random, culture))
    return { id: index + 1, name, genre, culture, composer: [...new Set(writers)].join(', ') }
  })
}

function cultureOf({ percent, pick }: Random, { name, kind }: Genre): Culture {
  if (name === 'Latin' || name === 'Bossa Nova') return pick(latin)
  const foreign = { songs: 15, movements: 90, episodes: 0 }[kind]
  return percent(foreign) ? pick(cultures) : english
}

function person({ pick }: Random, { given, family }: Culture): string {
  return `${pick(given)} ${pick(family)}`
}

function artistName(random: Random, { kind }: Genre, culture: Culture): string {
  const { percent, pick } = random
  const singer = person(random, culture)
  if (kind === 'episodes') return `The ${pick(adjectives)} ${pick(things)}`
  if (kind === 'movements' && percent(60)) {
    return `${pick(cities)} ${pick(['Philharmonic Orchestra', 'Chamber Choir', 'String Quartet'])}`
  }
  if (percent(4)) return pick(farBands)
  if (kind === 'movements' || percent(culture === english ? 20 : 90)) return singer
  const [adjective, thing, band] = [pick(adjectives), pick(things), pick(members)]
  const guest = person(random, pick(cultures))
  return pick([
    ...[`The ${adjective} ${band}`, `${thing} ${band}`, `${adjective} ${thing}`],
    ...[`${singer} & The ${band}`, `${singer} Feat. ${guest}`],
  ])
}

/** Generates the albums. A quarter of the artists have none, and a few have many. */
function makeAlbums(random: Random, artists: readonly Artist[]) {
  const shows = artists.filter(({ genre }) => genre.kind === 'episodes')
  const others = random.shuffle(artists.filter(({ genre }) => genre.kind !== 'episodes'))
  const chosen = [...shows, ...shows, ...others.slice(0, totals.artistsWithAlbums - shows.length)]
  while (chosen.length < totals.albums) {
    chosen.push(random.pick(others.slice(0, random.between(1, 60))))
  }
  const used = new Set<string>()
  return chosen
    .sort((one, other) => one.id - other.id)
    .map((artist) => ({ artist, title: makeUnique(used, () => albumTitle(random, artist)) }))
}

function albumTitle(random: Random, { name, genre, culture }: Artist): string {
  const { between, percent, pick } = random
  if (genre.kind === 'episodes') return `${name}, Season ${between(1, 3)}`
  if (percent(60)) return songTitle(random, culture)
  return pick([
    ...[name, `The Best of ${name}`, `Live in ${pick(cities)}`, `${name}: Greatest Hits`],
    `The ${pick(things)} Sessions [Disc ${between(1, 2)}]`,
  ])
}

function makeTracks(random: Random, albums: readonly { artist: Artist }[]): Track[] {
  const { between, percent } = random
  const tracks: Track[] = []
  albums.forEach(({ artist: { genre, culture, composer } }, index) => {
    const isShow = genre.kind === 'episodes'
    const title = titles[genre.kind]
    const audio = percent(85) ? 1 : percent(85) ? 2 : between(3, 4)
    const writer = isShow || percent(25) ? null : composer
    const missing = totals.tracks - tracks.length
    const mean = missing / (albums.length - index)
    const length = isShow ? between(18, 24) : between(1, Math.round(2 * mean) - 1)
    const used = new Set<string>()
    for (let left = index === albums.length - 1 ? missing : length; left > 0; left -= 1) {
      const name = makeUnique(used, () => title(random, culture))
      const kind = [index + 1, isShow ? video : audio, genres.indexOf(genre) + 1, writer] as const
      const milliseconds = isShow ? between(1_260_000, 2_940_000) : between(95_000, 420_000)
      const bytes = milliseconds * (isShow ? between(170, 230) : between(28, 36)) + between(0, 999)
      tracks.push([tracks.length + 1, name, ...kind, milliseconds, bytes, isShow ? 1.99 : 0.99])
    }
  })
  return tracks
}

function songTitle({ percent, pick, shuffle }: Random, culture: Culture): string {
  const isOwn = percent(culture === english ? 55 : 85)
  if (isOwn) return `${pick(culture.openings)} ${pick(culture.endings)}`
  const [thing = '', other = ''] = shuffle(things)
  return pick([`${pick(adjectives)} ${thing}`, `${thing} & ${other}`, `The ${thing} Song`, thing])
}

function movementTitle({ between, pick }: Random): string {
  const work = pick(['Sonata', 'Symphony', 'Suite', 'Quartet', 'Partita', 'Concerto'])
  const key = `${pick([...'ABCDEFG'])} ${pick(['Major', 'Minor', 'Flat Major'])}`
  const tempo = pick(['Allegro', 'Andante', 'Adagio', 'Scherzo', 'Più mosso', 'Rondò'])
  return `${work} No. ${between(1, 9)} in ${key}, Op. ${between(1, 120)}: ${tempo}`
}

function episodeTitle({ pick }: Random): string {
  return `The ${pick(adjectives)} ${pick(things)}`
}

const titles = { songs: songTitle, movements: movementTitle, episodes: episodeTitle }

/** Generates the playlists. Four names occur twice, and four playlists are empty. */
function makePlaylists({ shuffle }: Random, tracks: readonly Track[]) {
  type Playlist = readonly [name: string, tracks: readonly number[]]
  const idsOf = (some: readonly Track[]): number[] => some.map(([id]) => id)
  const songs = tracks.filter(([, , , mediaType]) => mediaType !== video)
  const shows = tracks.filter(([, , , mediaType]) => mediaType === video)
  const some = (name: string, size: number): Playlist => {
    return [name, idsOf(shuffle(songs).slice(0, size)).sort((one, other) => one - other)]
  }
  const all = (name: string): Playlist => {
    return [name, idsOf(tracks.filter(([, , , , genre]) => genres[genre - 1]?.name === name))]
  }
  const main: Playlist[] = [
    ['Music', idsOf(songs)],
    ['Movies', []],
  ]
  main.push(['TV Shows', idsOf(shows)], ['Audiobooks', []])
  const playlists = [
    ...main,
    ...[some('Kitchen Radio', 75), some('Night Drive', 39), some('Sunday Morning ☕', 26)],
    ...[some('Été à Montréal', 25), some("Rainy Days & Mondays' Best", 15)],
    ...[all('Classical'), all('Opera'), all('Bossa Nova'), some('On-The-Go 1', 1)],
    ...main,
  ]
  const soFar = playlists.reduce((sum, [, ids]) => sum + ids.length, 0)
  return [...playlists, some('90’s Music', totals.playlistTracks - soFar)]
}
