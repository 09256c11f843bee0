// The script of the pages. A page can be read without it; with it, forms send JSON:API, and filters can be built.
import { showCounts } from './counts.js'
import { enhanceForms } from './forms.js'
import { enhanceQueryForms } from './query-form.js'
import { enhanceSuggestions } from './suggestions.js'

document.documentElement.classList.add('script')
enhanceForms()
enhanceQueryForms()
enhanceSuggestions()
void showCounts()
