/** The option of every field. */
export interface Described {
  /** What the field means, for people: the description of the API shows it. One sentence or more, in Markdown. */
  readonly description?: string
}
