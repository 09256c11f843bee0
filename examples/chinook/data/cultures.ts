/** Names of people, streets and songs in one language. */
export interface Culture {
  readonly given: readonly string[]
  readonly family: readonly string[]
  /** Street addresses with `#` in place of the house number. */
  readonly streets: readonly string[]
  /** First halves of song titles. Each can be combined with each of the `endings`. */
  readonly openings: readonly string[]
  readonly endings: readonly string[]
}

/** A genre of music or video. */
export interface Genre {
  readonly name: string
  readonly artists: number
  readonly kind: 'songs' | 'movements' | 'episodes'
}

const list = (text: string): string[] => text.split('|').map((word) => word.trim())

const culture = (
  given: string,
  family: string,
  streets: string,
  openings: string,
  endings: string,
): Culture => ({
  given: list(given),
  family: list(family),
  streets: list(streets),
  openings: list(openings),
  endings: list(endings),
})

/** English, the language of most artists in the store. */
export const english = culture(
  'Alice|Martin|Joan|Derek|Ruth|Caleb|Nora|Wesley|Irene|Tobias|Maeve|Gordon|Stella|Hugh|Della|Roy',
  `Harlow|Whitcombe|O'Brien|Ashdown|Mercer|Tillman|Kincaid|Barrow|Pryce|Lockhart|Sutter|Vance`,
  '# Maple Street|# Station Road|# Harbour View|# Chestnut Avenue|# Mill Lane|# 14th Street NW',
  `Hold On|Don't Wait|Come Back|Running|Falling|Long Way|Nobody Knows|Dancing|Leave a Light
  |Still Here|Whispers|Waiting|Slow Train|Letters|Rain`,
  `Until Morning|to the River|Again|in the Dark|for Alice|Before the Storm|on Sunday|(Reprise)|to You
  |After Midnight|over Memphis|Like Thunder|at the Border|from Home|Without a Name`,
)
/** Portuguese, of Brazil too. */
export const portuguese = culture(
  'João|Beatriz|Luís|Conceição|Tomás|Inês|Antônio|Marília|Otávio|Letícia',
  'Guimarães|Brandão|Siqueira|Araújo|Magalhães|Teles|Falcão|Paixão|Nóbrega',
  'Rua das Acácias, #|Avenida Atlântica, #|Rua São Bento, #|Praça da Estação, #',
  'Canção|Samba|Noite|Manhã|Saudade|Roda|Coração|Maré|Baião|Estrela|Violão|Lua',
  'do Mar|da Serra|de Abril|sem Fim|de Iracema|do Sertão|na Varanda|de São João|e Solidão|do Amanhã',
)
/** Spanish, of America too. */
export const spanish = culture(
  'Lucía|Ramón|Pilar|Joaquín|Ximena|Álvaro|Rocío|Matías|Inés|Íñigo',
  'Ibáñez|Quiroga|Peñalver|Ocampo|Muñiz|Salvatierra|Zúñiga|Cortázar',
  'Calle del Olmo #|Avenida Rivadavia #|Paseo de la Ribera #|Calle Ñuñoa #',
  'Noche|Canción|Baile|Luna|Camino|Corazón|Sueño|Carta|Tango|Mañana|Guitarra|Ceniza',
  'del Sur|de Enero|sin Ti|de los Andes|en la Niebla|y Sal|de Otoño|para Lucía|del Puerto|Perdida',
)
/** French. */
export const french = culture(
  'Élodie|Gaston|Noémie|Rémi|Solène|Étienne|Maëlle|Thibault|Agnès|Loïc',
  'Lagarde|Beauchêne|Delorme|Fauré-Martin|Le Goff|Desrosiers|Marchand|Hébert',
  '#, rue des Tilleuls|#, avenue Émile Zola|#, quai du Canal|#, boulevard de la Gare',
  'Chanson|Valse|Lettre|Ombre|Nuit|Un été|Le train|La fenêtre|Ballade|Adieu|Le café|Un rêve',
  `d'automne|sans toi|à la mer|du dimanche|de Provence|oublié|pour Noémie|d'en face|sous la pluie`,
)
/** German. */
export const german = culture(
  'Käthe|Jürgen|Anneliese|Björn|Liesl|Günther|Heike|Matthias|Ilse|Jörg',
  'Weiß|Brückner|Hollenbach|Schäfer|Grünwald|Vogt|Möllendorf|Kästner',
  'Lindenstraße #|Am Mühlbach #|Goetheallee #|Hauptstraße #',
  'Lied|Nacht|Morgen|Sehnsucht|Walzer|Herbst|Regen|Fernweh|Ein Brief|Tanz|Schlaflos|Licht',
  'am Fluss|ohne Dich|im Mai|über den Dächern|für Käthe|aus Köln|und Stille|vor dem Fest|im Süden',
)
/** Italian. */
export const italian = culture(
  'Chiara|Niccolò|Giulia|Ettore|Fiammetta|Renzo|Ilaria|Dario',
  'Bellandi|Cavalcanti|De Santis|Morandini|Pellegrino|Rossetti|Tornabuoni',
  'Via dei Mille, #|Viale Libertà, #|Piazza San Niccolò, #',
  'Canzone|Notte|Lettera|Danza|Serenata|Città|Perché|Una sera|Aria|Barcarola|Ninna nanna',
  `d'amore|del porto|senza te|di maggio|sotto le stelle|lontana|a Chiara|dell'alba|in blu`,
)
/** The North. */
export const nordic = culture(
  'Åsa|Søren|Ingrid|Håkon|Freja|Jørgen|Linnéa|Päivi|Astrid|Øyvind',
  'Bergström|Nygård|Højland|Sjöberg|Østby|Lindahl|Kjærgaard|Ångman',
  'Storgata #|Nørrebrogade #|Ängsvägen #|Björkallén #',
  'Sång|Natt|Vinter|Vals|Ett brev|Drömmar|Regn|Stjärnor|En båt|Snö|Polska',
  'i Malmö|över fjällen|utan dig|vid älven|från söder|till Åsa|i gryningen|på ön|och tystnad',
)
/** Czech. */
export const czech = culture(
  'Jiří|Vojtěch|Tomáš|Břetislav|Luboš|Ondřej',
  'Dvořáček|Havelka|Říha|Šťastný|Kučera|Žižka',
  'Dlouhá #|Nábřežní #|Květinová #',
  'Píseň|Noc|Ráno|Tanec|Dopis|Vítr|Ticho|Déšť',
  'u řeky|bez tebe|nad Vltavou|v květnu|pro Žofii|a růže|na mostě',
)

/** The cultures that artists come from, English aside. */
export const cultures: readonly Culture[] = [
  portuguese,
  spanish,
  french,
  german,
  italian,
  nordic,
  czech,
]
/** The cultures of Latin music. */
export const latin: readonly Culture[] = [portuguese, portuguese, spanish]

/** The parts of English names and titles. */
export const adjectives = list(
  `Silver|Broken|Midnight|Hollow|Electric|Golden|Paper|Crimson|Lonesome|Northern|Velvet|Wild|Quiet
  |Burning|Rusty|Distant|Second|Holy|Blue|Naïve|Iron|Restless|Sleeping|Plastic|Endless|Sweet`,
)
/** Things, to sing of one. */
export const things = list(
  `River|Engine|Mirror|Lantern|Harvest|Garden|Thunder|Radio|Highway|Shadow|Kingdom|Letter|Machine
  |Window|Ocean|Ember|Valley|Carousel|Compass|Fever|Orchard|Signal|Cathedral|Wire|Déjà Vu|Satellite`,
)
/** Those who may be a band. */
export const members = list(
  `Foxes|Lanterns|Drifters|Sparrows|Astronauts|Machinists|Wolves|Sailors|Ghosts|Tramways|Pilots
  |Kings|Orphans|Telegraphs|Magpies|Vagabonds|Lighthouses|Strangers|Coyotes|Comets`,
)
/** Bands whose names are not in Latin letters. */
export const farBands = list(
  '北町ラジオ|夜の植物園|Полярная Сова|Зимний Сад|Μπλε Θάλασσα|서울 밤비|नीला पानी',
)
/** Cities where orchestras sit and concerts are recorded. */
export const cities = list(
  'Malmö|Leipzig|Montréal|Porto|Kraków|Boston|Lyon|Trieste|Glasgow|Århus|Brno|São Paulo|Adelaide',
)

const genresOf = (kind: Genre['kind'], text: string): Genre[] =>
  list(text).map((entry) => {
    const [name = '', artists] = entry.split('=')
    return { name, artists: Number(artists), kind }
  })

/** What the store sells: how many artists there are of each, and what their albums are made of. */
export const genres: readonly Genre[] = [
  ...genresOf('songs', 'Rock=92|Jazz=12|Metal=22|Punk=14|Folk=6|Blues=8|Latin=38|Reggae=5|Pop=11'),
  ...genresOf('songs', 'Soundtrack=4|Bossa Nova=3|Easy Listening=2|Country=3|R&B/Soul=5|Indie=8'),
  ...genresOf('songs', 'Electronica/Dance=4|World=4|Hip Hop/Rap=4|Chanson=3'),
  ...genresOf('episodes', 'TV Shows=2|Sci Fi & Fantasy=1|Drama=1|Comedy=1'),
  ...genresOf('movements', 'Classical=20|Opera=2'),
]
