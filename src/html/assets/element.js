/**
 * Creates an element. Texts are added as text, never as HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function createElement(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

/**
 * Creates a list of choices with a label that only screen readers get.
 * @param {string} label
 * @param {readonly (readonly [value: string, text: string])[]} choices
 * @param {string} value
 * @param {(value: string) => void} onChange
 */
export function createSelect(label, choices, value, onChange) {
  const select = createElement('select', { ariaLabel: label })
  for (const [each, text] of choices)
    select.append(createElement('option', { value: each, selected: each === value }, text))
  select.addEventListener('change', () => onChange(select.value))
  return select
}

/**
 * Creates a button that sends no form.
 * @param {string} text
 * @param {string} label - for screen readers
 * @param {() => void} onClick
 */
export function createButton(text, label, onClick) {
  const button = createElement(
    'button',
    { type: 'button', className: 'small', ariaLabel: label },
    text,
  )
  button.addEventListener('click', onClick)
  return button
}
