import {
  type Culture,
  czech,
  english,
  french,
  german,
  italian,
  nordic,
  portuguese,
  spanish,
} from './cultures.ts'

/** A city where customers or employees live. */
export interface Place {
  readonly culture: Culture
  /** The number of customers who live there. */
  readonly customers: number
  readonly city: string
  readonly state: string | null
  readonly country: string
  readonly postalCode: string | null
  /** The prefix of telephone numbers. */
  readonly phone: string
}

const place = (
  culture: Culture,
  customers: number,
  city: string,
  state: string | null,
  country: string,
  postalCode: string | null,
  phone: string,
): Place => ({ culture, customers, city, state, country, postalCode, phone })

/** The city of all employees. */
export const home = place(english, 0, 'Halifax', 'NS', 'Canada', 'B3J 1S9', '+1 (902)')

/** The cities of the 59 customers. */
export const places: readonly Place[] = [
  place(english, 3, 'Chicago', 'IL', 'USA', '60611', '+1 (312)'),
  place(english, 2, 'Portland', 'OR', 'USA', '97205', '+1 (503)'),
  place(english, 3, 'New York', 'NY', 'USA', '10012-2612', '+1 (212)'),
  place(spanish, 2, 'Tucson', 'AZ', 'USA', '85719', '+1 (520)'),
  place(english, 3, 'Mountain View', 'CA', 'USA', '94040-111', '+1 (650)'),
  place(english, 3, 'Toronto', 'ON', 'Canada', 'M6J 1V1', '+1 (416)'),
  place(french, 3, 'Montréal', 'QC', 'Canada', 'H2G 1A7', '+1 (514)'),
  place(english, 2, 'Yellowknife', 'NT', 'Canada', 'X1A 1N6', '+1 (867)'),
  place(portuguese, 3, 'São Paulo', 'SP', 'Brazil', '01007-010', '+55 (11)'),
  place(portuguese, 2, 'Brasília', 'DF', 'Brazil', '71020-677', '+55 (61)'),
  place(french, 3, 'Paris', null, 'France', '75009', '+33 01'),
  place(french, 2, 'Dijon', null, 'France', '21000', '+33 03'),
  place(german, 3, 'Köln', null, 'Germany', '50667', '+49 0221'),
  place(german, 1, 'Berlin', null, 'Germany', '10789', '+49 030'),
  place(english, 2, 'London', null, 'United Kingdom', 'N1 5LH', '+44 020'),
  place(english, 1, 'Edinburgh', null, 'United Kingdom', 'EH4 1HH', '+44 0131'),
  place(portuguese, 2, 'Porto', null, 'Portugal', '4050-313', '+351 22'),
  place(czech, 2, 'Brno', null, 'Czech Republic', '602 00', '+420 5'),
  place(italian, 2, 'Roma', 'RM', 'Italy', '00192', '+39 06'),
  place(spanish, 2, 'Madrid', null, 'Spain', '28015', '+34 91'),
  place(nordic, 2, 'Malmö', null, 'Sweden', '211 20', '+46 040'),
  place(nordic, 1, 'Oslo', null, 'Norway', '0171', '+47 22'),
  place(nordic, 1, 'Århus', null, 'Denmark', '8000', '+45 86'),
  place(nordic, 1, 'Helsinki', null, 'Finland', '00530', '+358 09'),
  place(english, 1, 'Dublin', 'Dublin', 'Ireland', null, '+353 01'),
  place(german, 1, 'Wien', null, 'Austria', '1010', '+43 01'),
  place(german, 1, 'Zürich', 'ZH', 'Switzerland', '8001', '+41 044'),
  place(french, 1, 'Liège', null, 'Belgium', '4000', '+32 04'),
  place(english, 1, 'Adelaide', 'SA', 'Australia', '5006', '+61 08'),
  place(spanish, 1, 'Buenos Aires', null, 'Argentina', '1106', '+54 (0)11'),
  place(spanish, 1, 'Santiago', null, 'Chile', null, '+56 (0)2'),
  place(spanish, 1, 'Mérida', 'YUC', 'Mexico', '97000', '+52 (999)'),
]
