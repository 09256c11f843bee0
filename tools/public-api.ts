import { execFileSync } from 'node:child_process'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
// TypeScript 7 has no API for programs.
import ts from '../test/runtimes/node_modules/typescript/lib/typescript.js'

// Formats the public API: every declaration that an entry point of the package exports, without comments, and the names of
// the types that these declarations use without exporting them. As a program it builds the package and writes
// `test/package/public-api.txt`, with which a test compares the package, so that every change of the API is reviewed.

/** The declaration files of a package. */
interface Package {
  readonly checker: ts.TypeChecker
  /** What each entry point exports, by its name. */
  readonly entryPoints: ReadonlyMap<string, readonly ts.Symbol[]>
  /** The path of the file that declares a symbol, from the package; `undefined` for symbols of libraries. */
  readonly fileOf: (symbol: ts.Symbol) => string | undefined
}

/** Formats the public API of a built package. @param folder - the folder of its `package.json` */
export function formatPublicApi(folder: string): string {
  const opened = openPackage(realpathSync(folder))
  const sections = [...opened.entryPoints].map(([name, symbols]) => {
    const declarations = symbols.toSorted(byName).flatMap((symbol) => formatSymbol(symbol, opened))
    return `// ${name}\n\n${declarations.join('\n')}`
  })
  const internal = listInternalTypes(opened).map((line) => `// ${line}\n`)
  return [...sections, `// Used above, and not exported\n\n${internal.join('')}`].join('\n')
}

function openPackage(folder: string): Package {
  const manifest: { readonly exports: Readonly<Record<string, { readonly types?: string }>> } =
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = Object.entries(manifest.exports).flatMap(([path, { types }]) =>
    types === undefined ? [] : [[join('lapidary', path), join(folder, types)] as const],
  )
  const program = ts.createProgram({
    rootNames: files.map(([, file]) => file),
    options: { module: ts.ModuleKind.NodeNext, noLib: true, types: [] },
  })
  const checker = program.getTypeChecker()
  const listExports = (file: string) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    return module ? checker.getExportsOfModule(module).map((each) => resolve(each, checker)) : []
  }
  return {
    checker,
    entryPoints: new Map(files.map(([name, file]) => [name, listExports(file)])),
    fileOf: (symbol) => {
      const file = symbol.declarations?.[0]?.getSourceFile().fileName
      return file?.startsWith(folder) ? relative(folder, file) : undefined
    },
  }
}

/** Follows imports and re-exports to the declared symbol. */
function resolve(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

const byName = (one: ts.Symbol, other: ts.Symbol): number => (one.name < other.name ? -1 : 1)

/** Formats every declaration of a symbol: a function may have several. */
function formatSymbol(symbol: ts.Symbol, { fileOf }: Package): string[] {
  if (fileOf(symbol) === undefined) return [`${symbol.name}: declared by a library\n`]
  return (symbol.declarations ?? []).map(formatDeclaration)
}

/** Prints a declaration without comments, and without the words that every declaration of the file begins with. */
function formatDeclaration(node: ts.Node): string {
  // The node of a variable is inside of its statement.
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const printer = ts.createPrinter({ removeComments: true })
  const text = printer.printNode(ts.EmitHint.Unspecified, statement, node.getSourceFile())
  return `${text.replace(/^export (?:declare )?/, '')}\n`
}

/** Lists the types of the package that exported declarations name, and that no entry point exports. */
function listInternalTypes({ checker, entryPoints, fileOf }: Package): string[] {
  const exported = new Set([...entryPoints.values()].flat())
  const internal = new Set<string>()
  const visit = (node: ts.Node): void => {
    const name = nameOfType(node)
    const found = name && checker.getSymbolAtLocation(name)
    const symbol = found && resolve(found, checker)
    const isParameter = symbol && symbol.flags & ts.SymbolFlags.TypeParameter
    const file = symbol && !isParameter && !exported.has(symbol) ? fileOf(symbol) : undefined
    if (file) internal.add(`${symbol?.name}: ${file}`)
    ts.forEachChild(node, visit)
  }
  for (const symbol of exported)
    if (fileOf(symbol) !== undefined) symbol.declarations?.forEach(visit)
  return [...internal].sort()
}

/** Returns the name in a node that refers to a type. */
function nameOfType(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  execFileSync(process.execPath, [join(root, 'tools/build.ts')], { stdio: 'inherit' })
  const api = formatPublicApi(join(root, 'dist/package'))
  writeFileSync(join(root, 'test/package/public-api.txt'), api)
}
